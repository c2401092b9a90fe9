import { isHttpUrl, isTimestamp, lengthOf } from "@countersign/schemas";
import { isRecord } from "../values.ts";
import {
  isUnion,
  type LocatedSchema,
  type Schema,
  type TypeName,
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
  return Object.keys(refusals).filter((keyword) => refusals[keyword]?.(schema, value));
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

type Refuses = (schema: Schema, value: unknown) => boolean;

/** True if a keyword refuses a value by itself. */
const refusals: Readonly<Record<string, Refuses>> = {
  type: (schema, value) => {
    const types = typesOf(schema);
    return types.length > 0 && !types.some((type) => isOfType(type, value));
  },
  const: (schema, value) => "const" in schema && !isEqual(schema.const, value),
  enum: ({ enum: values }, value) => values?.some((one) => isEqual(one, value)) === false,
  minLength: ({ minLength = 0 }, value) => typeof value === "string" && lengthOf(value) < minLength,
  maxLength: ({ maxLength = Infinity }, value) =>
    typeof value === "string" && lengthOf(value) > maxLength,
  pattern: ({ pattern }, value) =>
    pattern !== undefined && typeof value === "string" && !new RegExp(pattern, "u").test(value),
  format: ({ format }, value) =>
    format !== undefined &&
    typeof value === "string" &&
    !(format === "uri" ? isHttpUrl : isTimestamp)(value),
  minimum: ({ minimum = -Infinity }, value) => typeof value === "number" && value < minimum,
  maximum: ({ maximum = Infinity }, value) => typeof value === "number" && value > maximum,
  multipleOf: ({ multipleOf }, value) =>
    multipleOf !== undefined && typeof value === "number" && !isMultiple(value, multipleOf),
  minItems: ({ minItems = 0 }, value) => Array.isArray(value) && value.length < minItems,
  maxItems: ({ maxItems = Infinity }, value) => Array.isArray(value) && value.length > maxItems,
  required: ({ required = [] }, value) =>
    isRecord(value) && !required.every((name) => Object.hasOwn(value, name)),
  additionalProperties: ({ additionalProperties = true, properties = {} }, value) =>
    !additionalProperties &&
    isRecord(value) &&
    Object.keys(value).some((name) => !Object.hasOwn(properties, name)),
};

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

/** On the numbers' texts: 1.13 / 0.01 is not a whole number in binary. */
function isMultiple(value: number, of: number): boolean {
  const places = /\.(\d+)$/.exec(String(of))?.[1]?.length ?? 0;
  const units = Number(`${String(value)}e${String(places)}`);
  return Number.isInteger(units) && units % Math.round(of * 10 ** places) === 0;
}

function isEqual(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
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
