import { isHttpUrl, isTimestamp } from "@countersign/schemas";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import {
  isApplicator,
  type JsonSchema,
  nameOf,
  partsOf as schemasIn,
} from "../documents/json-schema.ts";
import { isRecord } from "../values.ts";
import {
  isUnion,
  itemsOf,
  kindsOf,
  type LocatedSchema,
  membersOf,
  resolve,
  type SchemaSource,
} from "./schema.ts";

/** A pattern of another dialect than JavaScript's accepts every text. */
const lenient = Object.assign(
  (pattern: string, flags: string): RegExp => regExpOf(pattern, flags) ?? /^/,
  { code: "lenient" },
);

/** The regular expression of a pattern; `undefined` if JavaScript cannot read it. */
export function regExpOf(pattern: string, flags = "u"): RegExp | undefined {
  for (const some of [flags, ""])
    try {
      return new RegExp(pattern, some);
    } catch {
      // The pattern may be valid without the flag `u`.
    }
  return undefined;
}

const ajvOf = (formats: boolean): Ajv2020 =>
  new Ajv2020({
    strict: false,
    validateSchema: false,
    allErrors: true,
    logger: false,
    addUsedSchema: false,
    // 1.13 / 0.01 is not a whole number in binary.
    multipleOfPrecision: 6,
    validateFormats: formats,
    formats: { "date-time": isTimestamp, uri: isHttpUrl },
    // Most schemas judge few values: to shorten their code would take longer.
    code: { regExp: lenient, optimize: false },
  });
const ajvs = { true: ajvOf(true), false: ajvOf(false) };

/** Compiled schemas; those of a keyword's own are kept apart from whole ones. */
const compiled = {
  own: new WeakMap<object, ValidateFunction>(),
  whole: new WeakMap<object, ValidateFunction>(),
};

function validatorOf(at: LocatedSchema, extent: "own" | "whole"): ValidateFunction {
  const { schema, source } = at;
  const known = compiled[extent].get(schema);
  if (known !== undefined) return known;
  const used = extent === "own" ? own(schema) : { ...schema, schemas: closureOf(schema, source) };
  const made = ajvs[`${source.hasFormats === true}`].compile(used);
  compiled[extent].set(schema, made);
  return made;
}

/** The keywords of a schema that judge the value itself, and the names of its members. */
function own({ properties = {}, additionalProperties, ...schema }: JsonSchema): object {
  const names = Object.keys(properties).map((name) => [name, true] as const);
  const judging = Object.entries(schema).filter(([keyword]) => !isApplicator(keyword));
  return {
    ...Object.fromEntries(judging),
    properties: Object.fromEntries(names),
    ...(additionalProperties === false && { additionalProperties }),
  };
}

/** The named schemas that a schema reaches. */
export function closureOf(
  schema: JsonSchema,
  { schemas }: SchemaSource,
): Readonly<Record<string, JsonSchema>> {
  const reached = new Map<string, JsonSchema>();
  const visit = (part: JsonSchema): void => {
    const name = part.$ref === undefined ? undefined : nameOf(part.$ref);
    if (name !== undefined && !reached.has(name)) {
      reached.set(name, schemas[name] ?? {});
      visit(schemas[name] ?? {});
    }
    for (const [, inner] of schemasIn(part)) visit(inner);
  };
  visit(schema);
  return Object.fromEntries(reached);
}

/**
 * The keywords of a schema that refuse a value, those of its members and items excepted. A union refuses as a whole, with
 * `oneOf` or `anyOf`.
 */
export function faultsOf(located: LocatedSchema, value: unknown): readonly string[] {
  const at = resolve(located);
  const validate = validatorOf(at, "own");
  const faults = validate(value) ? [] : (validate.errors ?? []).map(({ keyword }) => keyword);
  if (!isUnion(at.schema)) return faults;
  const fitting = kindsOf(at).filter((kind) => accepts(kind, value)).length;
  if (at.schema.oneOf === undefined) return fitting > 0 ? faults : [...faults, "anyOf"];
  return fitting === 1 ? faults : [...faults, "oneOf"];
}

/** The faults of a value and of all that is in it, a line for each. */
export function errorsOf(located: LocatedSchema, value: unknown): readonly string[] {
  const validate = validatorOf(resolve(located), "whole");
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message = "" }) => {
    return `${instancePath || "the event"} ${message}`;
  });
}

/** True if a schema accepts a value and all that is in it. */
export function accepts(located: LocatedSchema, value: unknown): boolean {
  return validatorOf(resolve(located), "whole")(value);
}

/** The kind of a union that accepts a value. */
export function kindOf(located: LocatedSchema, value: unknown): LocatedSchema | undefined {
  return kindsOf(resolve(located)).find((kind) => accepts(kind, value));
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
