import { isRecord } from "../values.ts";
import {
  isUnion,
  type LocatedSchema,
  type Schema,
  type TypeName,
  escapePointer,
  itemsOf,
  kindsOf,
  membersOf,
  resolve,
} from "./schema.ts";

/**
 * The keywords of a schema that refuse a value, those of its members and items excepted. A union refuses
 * with `oneOf` only. It chooses between candidates; whether the choice was right, Ajv says in the tests.
 */
export function faultsOf(located: LocatedSchema, value: unknown): readonly string[] {
  const at = resolve(located);
  const { schema } = at;
  if (isUnion(schema)) {
    const fitting = kindsOf(at).filter((kind) => accepts(kind, value)).length;
    if (schema.oneOf === undefined) return fitting > 0 ? [] : ["anyOf"];
    return fitting === 1 ? [] : ["oneOf"];
  }
  return [
    ...generalFaults(schema, value),
    ...(typeof value === "string" ? textFaults(schema, value) : []),
    ...(typeof value === "number" ? numberFaults(schema, value) : []),
    ...(Array.isArray(value) ? listFaults(schema, value) : []),
    ...(isRecord(value) ? memberFaults(schema, value) : []),
  ];
}

/** True if a schema accepts a value and all that is in it. */
export function accepts(located: LocatedSchema, value: unknown): boolean {
  const at = resolve(located);
  if (faultsOf(at, value).length > 0) return false;
  if (isUnion(at.schema)) return true;
  const items = itemsOf(at);
  if (Array.isArray(value)) {
    return items === undefined || value.every((item) => accepts(items, item));
  }
  if (!isRecord(value)) return true;
  return membersOf(at).every(
    ([name, member]) => !Object.hasOwn(value, name) || accepts(member, value[name]),
  );
}

/** The kind of a union that accepts a value. */
export function kindOf(located: LocatedSchema, value: unknown): LocatedSchema | undefined {
  return kindsOf(resolve(located)).find((kind) => accepts(kind, value));
}

/** The types that a schema allows; empty if it names none. */
export function typesOf({ type }: Schema): readonly TypeName[] {
  return [type ?? []].flat();
}

/** Length as JSON Schema counts it: in code points. */
export function lengthOf(text: string): number {
  return Array.from(text).length;
}

function generalFaults(schema: Schema, value: unknown): string[] {
  const types = typesOf(schema);
  return trueOf({
    type: types.length > 0 && !types.some((type) => isOfType(type, value)),
    const: "const" in schema && !isEqual(schema.const, value),
    enum: schema.enum?.some((one) => isEqual(one, value)) === false,
  });
}

function textFaults(schema: Schema, value: string): string[] {
  const { minLength = 0, maxLength = Infinity, pattern, format } = schema;
  return trueOf({
    minLength: lengthOf(value) < minLength,
    maxLength: lengthOf(value) > maxLength,
    pattern: pattern !== undefined && !new RegExp(pattern, "u").test(value),
    format: format !== undefined && !isOfFormat(format, value),
  });
}

function numberFaults(schema: Schema, value: number): string[] {
  const { minimum = -Infinity, maximum = Infinity, multipleOf } = schema;
  return trueOf({
    minimum: value < minimum,
    maximum: value > maximum,
    multipleOf: multipleOf !== undefined && !isMultiple(value, multipleOf),
  });
}

function listFaults(schema: Schema, value: readonly unknown[]): string[] {
  const { minItems = 0, maxItems = Infinity } = schema;
  return trueOf({ minItems: value.length < minItems, maxItems: value.length > maxItems });
}

function memberFaults(schema: Schema, value: Readonly<Record<string, unknown>>): string[] {
  const { required = [], additionalProperties = true, properties = {} } = schema;
  const isUnknown = (name: string): boolean => !Object.hasOwn(properties, name);
  return trueOf({
    required: !required.every((name) => Object.hasOwn(value, name)),
    additionalProperties: !additionalProperties && Object.keys(value).some(isUnknown),
  });
}

function trueOf(tests: Readonly<Record<string, boolean>>): string[] {
  return Object.keys(tests).filter((keyword) => tests[keyword]);
}

function isOfType(type: TypeName, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    case "integer":
      return Number.isInteger(value);
    case "number":
    case "string":
    case "boolean":
      return typeof value === type;
    default:
      return type satisfies never;
  }
}

/** As in the schemas' own validators, since JSON Schema leaves it to implementations. */
function isOfFormat(format: string, text: string): boolean {
  if (format === "date-time") {
    const instant = Date.parse(text);
    return !Number.isNaN(instant) && new Date(instant).toISOString() === text;
  }
  if (!/^https?:\/\/[!-~]+$/i.test(text) || text.includes("#") || !URL.canParse(text)) return false;
  const url = new URL(text);
  return url.username === "" && url.password === "" && url.hostname !== "";
}

/** On the numbers' texts: 1.13 / 0.01 is not a whole number in binary. */
function isMultiple(value: number, of: number): boolean {
  const places = /\.(\d+)$/.exec(String(of))?.[1]?.length ?? 0;
  const units = Number(`${String(value)}e${String(places)}`);
  return Number.isInteger(units) && units % Math.round(of * 10 ** places) === 0;
}

function isEqual(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** A whole value that was derived for one keyword of one schema in it. */
export interface Labelled {
  /** JSON Pointer of the place in the value; of the missing or unknown member itself. */
  readonly pointer: string;
  /** The keyword that the value breaks, or whose bound it is. */
  readonly keyword: string;
  /** Document, JSON Pointer and keyword of the schema: what a report of coverage counts. */
  readonly point: string;
  readonly value: unknown;
}

/** Names of members and indexes of items, from the outside in. */
export type Steps = readonly (string | number)[];

/** A value for one place of a whole value. */
export interface Placed extends Omit<Labelled, "pointer"> {
  readonly steps: Steps;
}

/** A whole value with each of some values in its place. */
export function labelled(valid: unknown, all: readonly Placed[]): readonly Labelled[] {
  return all.map(({ steps, value, ...one }) => ({
    ...one,
    pointer: steps.map((step) => `/${escapePointer(String(step))}`).join(""),
    value: withValueAt(valid, steps, value),
  }));
}

/** A value's members, or the first item of a list, each with its step and its schema. */
export function partsOf(
  at: LocatedSchema,
  value: unknown,
): readonly (readonly [step: string | number, schema: LocatedSchema, part: unknown])[] {
  const items = itemsOf(at);
  if (Array.isArray(value))
    return items === undefined || value.length === 0 ? [] : [[0, items, value[0]]];
  return membersOf(at).flatMap(([name, member]) =>
    isRecord(value) && Object.hasOwn(value, name) ? [[name, member, value[name]] as const] : [],
  );
}

/** A copy of a value with another one at a place. `undefined` removes the member. */
export function withValueAt(value: unknown, [step, ...rest]: Steps, put: unknown): unknown {
  if (step === undefined) return put;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) =>
      index === step ? withValueAt(item, rest, put) : item,
    );
  }
  // Steps lead through what is there: an object here, or the place of a new member.
  const members = value as Readonly<Record<string, unknown>>;
  const changed = withValueAt(members[step], rest, put);
  const entries = Object.entries(members).filter(([name]) => name !== step);
  if (changed === undefined) return Object.fromEntries(entries);
  if (!Object.hasOwn(members, step)) return { ...members, [step]: changed };
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, name === step ? changed : member]),
  );
}
