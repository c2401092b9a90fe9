import { isDeepStrictEqual } from "node:util";
import { pointerOf, stepsOf } from "@countersign/schemas";
import type { Profile } from "@countersign/schemas/profiles";
import { senderOf, type SentEvent } from "@countersign/schemas/provider-of";
import { profiledEvents, type Schema, type Schemas } from "@countersign/service/internal";

/** An event as a type: an entry of the catalogue, in the format of the profile's envelope. */
export interface EventShape {
  /** The name of its type, such as `RefundAuthorizedEvent`. */
  readonly name: string;
  readonly type: string;
  readonly rows: readonly SentEvent[];
  /** One schema for each kind of its data. */
  readonly payloads: readonly Schema[];
  /** All kinds in one: members that some kinds lack are optional. */
  readonly schema: Schema;
  /** The member that distinguishes it from other events of its type; absent if it is the only one. */
  readonly when?: { readonly path: readonly string[]; readonly value: string };
}

/** The events of a profile, for whatever prints them. */
export interface EventModel {
  readonly profile: Profile;
  readonly events: readonly EventShape[];
  /** Schemas that the events refer to, by title. */
  readonly schemas: Schemas;
  /** The members that lead to an event's type. */
  readonly typePath: readonly string[];
}

/**
 * Returns the events of a profile's catalogue. Moments of one type that no constant member distinguishes
 * become one event.
 */
export function eventModel(profile: Profile): EventModel {
  const { events, schemas } = profiledEvents(profile);
  const byType = Map.groupBy(events, ({ row }) => row.type);
  const shapes = [...byType].flatMap(([type, group]): readonly EventShape[] => {
    const alone = group.map(({ row, payloads }) => ({
      name: `${pascalCase(row.kind ?? type)}Event`,
      type,
      rows: [row],
      payloads,
      schema: flattened(payloads, schemas),
    }));
    if (alone.length === 1) return alone;
    const constants = alone.map(({ schema }) => constantsOf(schema, schemas));
    const pointer = [...(constants[0]?.keys() ?? [])].find((candidate) => {
      const values = constants.map((of) => of.get(candidate));
      return !values.includes(undefined) && new Set(values).size === values.length;
    });
    if (pointer !== undefined)
      return alone.map((shape, index) => ({
        ...shape,
        when: { path: stepsOf(pointer), value: constants[index]?.get(pointer) ?? "" },
      }));
    const payloads = group.flatMap((event) => event.payloads);
    const rows = group.map(({ row }) => row);
    const schema = flattened(payloads, schemas);
    return [{ name: `${pascalCase(type)}Event`, type, rows, payloads, schema }];
  });
  return {
    profile,
    events: withNamesOfTheirOwn(shapes),
    schemas,
    typePath: stepsOf(senderOf(profile).envelope.type),
  };
}

/** A catalogue may list one kind of event under two types. */
function withNamesOfTheirOwn(shapes: readonly EventShape[]): readonly EventShape[] {
  const taken = new Set<string>();
  return shapes.map((shape) => {
    const names = [shape.name, `${pascalCase(shape.type)}Event`];
    const free = (name: string): boolean => !taken.has(name);
    let name = names.find(free) ?? "";
    for (let number = 2; name === ""; number += 1)
      name = [`${shape.name}${String(number)}`].find(free) ?? "";
    taken.add(name);
    return { ...shape, name };
  });
}

const PREFIX = "#/components/schemas/";

/** The title that a reference leads to. */
export function titleOf({ $ref: ref }: Schema): string | undefined {
  return ref?.startsWith(PREFIX) === true ? ref.slice(PREFIX.length) : undefined;
}

/** True if the schema describes numbers that are not only integers. */
export const isDecimal = ({ type }: Schema): boolean => [type].flat().includes("number");

/** A name that stands for every item of an array in a path. */
export const EACH = "*";

/** Returns the members that lead to each decimal of a schema; `EACH` is every item of an array. */
export function decimalPaths(
  schema: Schema,
  schemas: Schemas,
  above: readonly string[] = [],
): readonly (readonly string[])[] {
  const title = titleOf(schema);
  // A type that contains itself.
  if (title !== undefined && above.includes(title)) return [];
  const within = title === undefined ? above : [...above, title];
  const { properties = {}, items, oneOf = [], ...whole } = resolved(schema, schemas);
  const below = (name: string, child: Schema): (readonly string[])[] =>
    decimalPaths(child, schemas, within).map((path) => [name, ...path]);
  return [
    ...(isDecimal(whole) ? [[]] : []),
    ...Object.entries(properties).flatMap(([name, child]) => below(name, child)),
    ...(items === undefined ? [] : below(EACH, items)),
    ...oneOf.flatMap((kind) => decimalPaths(kind, schemas, within)),
  ];
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

/** The values that a schema lists; `undefined` if it lists none. */
export function valuesOf(schema: Schema): readonly unknown[] | undefined {
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
      ...constantsOf(member, schemas, `${at}${pointerOf([name])}`),
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
