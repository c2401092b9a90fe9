import { isDeepStrictEqual } from "node:util";
import type { Schema, Schemas } from "@countersign/service/internal";
import { resolved } from "./resolved.ts";

/**
 * One schema for objects of several kinds, since few languages have unions of objects: every kind's
 * members, required where each kind requires them, with the values of all.
 */
export function flattened(kinds: readonly Schema[], schemas: Schemas): Schema {
  const [first = {}, ...others] = kinds;
  return others.reduce((before, kind) => both(before, kind, schemas), first);
}

function both(one: Schema, other: Schema, schemas: Schemas): Schema {
  if (isDeepStrictEqual(one, other)) return one;
  const [a, b] = [resolved(one, schemas), resolved(other, schemas)];
  return a.properties === undefined || b.properties === undefined
    ? bothValues(a, b)
    : bothObjects(a, b, schemas);
}

function bothObjects(a: Schema, b: Schema, schemas: Schemas): Schema {
  const members = { ...a.properties };
  for (const [name, member] of Object.entries(b.properties ?? {})) {
    const known = members[name];
    members[name] = known === undefined ? member : both(known, member, schemas);
  }
  return {
    ...a,
    properties: members,
    required: (a.required ?? []).filter((name) => b.required?.includes(name)),
  };
}

function bothValues(a: Schema, b: Schema): Schema {
  const [known, more] = [valuesOf(a), valuesOf(b)];
  const description = [...new Set([a["description"], b["description"]])]
    .filter((text) => typeof text === "string")
    .join(" ");
  const { const: _, enum: __, ...rest } = a;
  const open = a["x-open"] === true || b["x-open"] === true;
  return {
    ...rest,
    ...(description !== "" && { description }),
    ...(known !== undefined && more !== undefined && { enum: [...new Set([...known, ...more])] }),
    ...(open && { "x-open": true }),
  };
}

function valuesOf(schema: Schema): readonly unknown[] | undefined {
  const { const: constant, enum: values } = schema as Pick<Schema, "const"> & {
    readonly enum?: readonly unknown[];
  };
  if (values !== undefined) return values;
  return constant === undefined ? undefined : [constant];
}
