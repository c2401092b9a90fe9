import { isDeepStrictEqual } from "node:util";
import type { Schema, Schemas } from "@countersign/service/internal";

const PREFIX = "#/components/schemas/";

/** The title that a reference leads to. */
export function titleOf({ $ref: ref }: Schema): string | undefined {
  return ref?.startsWith(PREFIX) === true ? ref.slice(PREFIX.length) : undefined;
}

/** Follows a schema's references; keywords next to a `$ref` override those of its target. */
export function resolved(schema: Schema, schemas: Schemas): Schema {
  const title = titleOf(schema);
  if (title === undefined) return schema;
  const { $ref: _, ...beside } = schema;
  return { ...resolved(schemas[title] ?? {}, schemas), ...beside };
}

/**
 * One schema for objects of several kinds, since few languages have unions of objects: every kind's
 * members, required if each kind requires them, with the values of all.
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

/** Returns the constant members' values by JSON Pointer. */
export function constantsOf(
  schema: Schema,
  schemas: Schemas,
  at = "",
): ReadonlyMap<string, string> {
  const { properties = {}, const: constant } = resolved(schema, schemas);
  if (typeof constant === "string") return new Map([[at, constant]]);
  return new Map(
    Object.entries(properties).flatMap(([name, member]) => [
      ...constantsOf(member, schemas, `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`),
    ]),
  );
}

/** `refund.authorized` is `RefundAuthorized`, `paymentStatus` is `PaymentStatus`; no name begins with a digit. */
export function pascalCase(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("")
    .replace(/^(?=\d)/, "Of");
}
