import { isHttpUrl, isTimestamp } from "@countersign/schemas";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { DocumentError } from "../documents/document-error.ts";
import { referenceTo } from "../documents/json-schema.ts";
import { isRecord, messageOf } from "../values.ts";
import {
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

/** By named schemas, each of which is compiled once. */
const ajvs = new WeakMap<SchemaSource["schemas"], Ajv2020>();

function ajvFor({ schemas, hasFormats = false }: SchemaSource): Ajv2020 {
  const known = ajvs.get(schemas);
  if (known !== undefined) return known;
  const ajv = new Ajv2020({
    meta: false,
    strict: false,
    validateSchema: false,
    allErrors: true,
    // An error then has its schema.
    verbose: true,
    logger: false,
    addUsedSchema: false,
    // 1.13 / 0.01 is not a whole number in binary.
    multipleOfPrecision: 6,
    validateFormats: hasFormats,
    formats: { "date-time": isTimestamp, uri: isHttpUrl },
    // Most schemas judge few values: to shorten their code would take longer.
    code: { regExp: lenient, optimize: false },
  });
  // A key is a reference as ajv resolves it.
  for (const [name, schema] of Object.entries(schemas))
    ajv.addSchema(schema, ajv.opts.uriResolver.resolve("", referenceTo(name)));
  ajvs.set(schemas, ajv);
  return ajv;
}

/** @throws {DocumentError} `CS_DOCUMENT_INVALID`: a keyword has a value that JSON Schema does not allow. */
function validatorOf(located: LocatedSchema): ValidateFunction {
  const { schema, source, place } = resolve(located);
  try {
    return ajvFor(source).compile(schema);
  } catch (cause) {
    const message = `${place}: invalid schema: ${messageOf(cause)}`;
    throw new DocumentError("CS_DOCUMENT_INVALID", message, { cause });
  }
}

function errorsIn(located: LocatedSchema, value: unknown): readonly ErrorObject[] {
  const validate = validatorOf(located);
  return validate(value) ? [] : (validate.errors ?? []);
}

/** The keywords of a schema itself that refuse a value; a union refuses as a whole, with `oneOf` or `anyOf`. */
export function faultsOf(located: LocatedSchema, value: unknown): readonly string[] {
  const { schema } = resolve(located);
  return errorsIn(located, value)
    .filter(({ instancePath, parentSchema }) => instancePath === "" && parentSchema === schema)
    .map(({ keyword }) => keyword);
}

/** The faults of a value and of all that is in it, by JSON Pointers. */
export const errorsOf = (
  located: LocatedSchema,
  value: unknown,
): readonly { readonly pointer: string; readonly message: string }[] =>
  errorsIn(located, value).map(({ instancePath: pointer, message = "" }) => ({ pointer, message }));

/** True if a schema accepts a value and all that is in it. */
export const accepts = (located: LocatedSchema, value: unknown): boolean =>
  validatorOf(located)(value);

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
