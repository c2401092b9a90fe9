import { pointerOf } from "@countersign/schemas/pointer";
import { _, Ajv, type Code, type CodeKeywordDefinition, type KeywordCxt } from "ajv";
import { nil, or } from "ajv/dist/compile/codegen/index.js";
import standaloneCode from "ajv/dist/standalone/index.js";
import type { KeywordErrorCxt } from "ajv/dist/types/index.js";

/** A JSON Schema. A `$ref` is the name of another one, or leads into the schema that it is in. */
export type JsonSchema = Readonly<Record<string, unknown>>;
type JsonSchemas = Readonly<Record<string, JsonSchema>>;

/**
 * The side that validates: for a writer every deviation is an error; a reader accepts members that no
 * schema describes, and other values of open lists (`x-open`).
 */
export type Side = "reader" | "writer";

/** Differences of documents that are not this project's own. */
interface OthersDocument {
  /** The name of the schema that a reference leads to. */
  readonly nameOf: (reference: string) => string;
  /** False for annotations, as JSON Schema says: this project's formats are stricter than others'. */
  readonly formats: boolean;
}

interface Standalone {
  /** Functions in JavaScript. They use what `schemas/src/validation.ts` exports, and nothing else. */
  readonly code: string;
  /** The function for each name, of the type `Check`. */
  readonly checkOf: (name: string) => string;
}

/**
 * Compiles the named ones of some schemas to functions with ajv. The same schemas give the same text.
 *
 * @throws {Error} A schema is invalid, or refers to a schema that does not exist.
 */
export function compileStandalone(
  schemas: JsonSchemas,
  names: readonly string[],
  side: Side,
  others: OthersDocument = { nameOf: (reference) => reference, formats: true },
): Standalone {
  const ajv = new Ajv({
    allErrors: true,
    discriminator: true,
    strict: false,
    logger: false,
    inlineRefs: false,
    validateSchema: false,
    loopRequired: Infinity,
    loopEnum: Infinity,
    formats: { "date-time": () => true, uri: () => true },
    code: { source: true, esm: true, formats: _`formats` },
  });
  // In binary fractions 1.13 is not a multiple of 0.01: amounts are validated on their source text.
  for (const keyword of ["multipleOf", "discriminator", "anyOf"]) ajv.removeKeyword(keyword);
  for (const keyword of [discriminator, anyOf]) ajv.addKeyword(keyword);
  for (const rule of Object.values(ajv.RULES.all))
    if (typeof rule === "object") rule.definition.error = { message: ruleOf, params: stepOf };
  // The schema of schemas needs ajv's own keywords.
  const meta = new Ajv({ strict: false, logger: false, validateFormats: false });
  for (const [name, schema] of Object.entries(schemas)) {
    const own = prepared(schema, { side, schemas, ...others });
    if (meta.validateSchema(own) !== true) throw new Error(`${name}: ${meta.errorsText()}`);
    ajv.addSchema(own, name);
  }
  const exports = new Map<string, string>();
  const code = standaloneCode
    .default(ajv, Object.fromEntries(names.map((name, index) => [`check${String(index)}`, name])))
    .replaceAll('require("ajv/dist/runtime/ucs2length").default', "lengthOf")
    .replaceAll('require("ajv/dist/runtime/equal").default', "isEqualJson")
    .split(LITERAL)
    .map((part, index) => {
      if (index % 2 === 1) return part === '"use strict"' ? "" : part;
      for (const [, name = "", own = ""] of part.matchAll(EXPORT)) exports.set(name, own);
      return part.replaceAll(EXPORT, "").replaceAll("= new RegExp", "= /* @__PURE__ */ new RegExp");
    })
    .join("");
  return { code, checkOf: (name) => exports.get(`check${String(names.indexOf(name))}`) ?? "" };
}

/** A schema's author chooses the texts, which may look like code. */
const LITERAL = /("(?:[^"\\]|\\.)*")/;
const EXPORT = /export const (check\d+) = (\w+);/g;
const IN_MEMBERS = ["properties", "patternProperties", "$defs"];
const IN_LIST = ["oneOf", "anyOf", "allOf"];
const INSIDE = ["items", "additionalProperties", "propertyNames", "contains", "not"];
const SILENT = new Set(
  "$schema $id $comment title description examples deprecated x-open x-invalid".split(" "),
);

interface Preparation extends OthersDocument {
  readonly side: Side;
  readonly schemas: JsonSchemas;
}

/** A schema as a side validates it, without keywords that validate nothing. */
function prepared(schema: JsonSchema, preparation: Preparation): JsonSchema {
  const { side, nameOf, formats } = preparation;
  const isReader = side === "reader";
  // A keyword's schema is an object, `true` or `false`.
  const inner = (part: unknown): unknown =>
    typeof part === "object" ? prepared(part as JsonSchema, preparation) : part;
  const kinds = tagKinds(schema, preparation);
  const entries = Object.entries(schema).flatMap(([name, value]): [string, unknown][] => {
    if (SILENT.has(name) || (name === "format" && !formats)) return [];
    // Parts of an `allOf` without a common type.
    if (name === "type" && Array.isArray(value) && value.length === 0) return [["not", {}]];
    // Others' documents repeat values.
    if (["enum", "required"].includes(name) && Array.isArray(value))
      return isReader && name === "enum" && schema["x-open"] === true
        ? []
        : [[name, [...new Set(value)]]];
    if (name === "$ref") return [[name, nameOf(String(value))]];
    if (isReader && name === "additionalProperties" && value === false) return [];
    if (isReader && name === "pattern" && !isPattern(String(value))) return [];
    if (IN_MEMBERS.includes(name)) {
      const members = Object.entries(value as JsonSchemas).filter(
        ([member]) => name !== "patternProperties" || isPattern(member),
      );
      return [[name, Object.fromEntries(members.map(([member, part]) => [member, inner(part)]))]];
    }
    if (IN_LIST.includes(name)) {
      // With members added, a value may have several kinds.
      const overlaps = isReader && name === "oneOf" && kinds === undefined;
      return [[overlaps ? "anyOf" : name, (value as readonly unknown[]).map(inner)]];
    }
    return [[name, INSIDE.includes(name) ? inner(value) : value]];
  });
  const { discriminator: tag, ...rest } = Object.fromEntries(entries);
  return tag === undefined || kinds === undefined ? rest : { ...rest, discriminator: kinds };
}

/** The values that select each kind of a union; `undefined` where they do not. */
function tagKinds(schema: JsonSchema, { side, schemas, nameOf }: Preparation): Tag | undefined {
  const { discriminator, oneOf } = schema as {
    readonly discriminator?: Tag;
    readonly oneOf?: readonly JsonSchema[];
  };
  if (discriminator === undefined || oneOf === undefined) return undefined;
  const { propertyName } = discriminator;
  const target = (part: JsonSchema): JsonSchema => {
    const { $ref: ref } = part;
    return typeof ref === "string" ? (schemas[nameOf(ref)] ?? {}) : part;
  };
  const kinds = oneOf.map((kind) => {
    const { [propertyName]: member = {} } = (target(kind)["properties"] ?? {}) as JsonSchemas;
    return tagValues(target(member), side);
  });
  // Only the kind of all other values may have no value.
  const known = kinds.filter((values) => values.length > 0 && !values.includes(undefined));
  return known.length >= kinds.length - 1 ? { propertyName, kinds } : undefined;
}

/** True if ajv can compile the pattern. One that only other engines know is left out. */
function isPattern(text: string): boolean {
  try {
    return new RegExp(text, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

interface Tag {
  readonly propertyName: string;
  /** The values that select each kind of `oneOf`; empty for the kind that every other value selects. */
  readonly kinds: readonly (readonly unknown[])[];
}

function tagValues(member: JsonSchema, side: Side): readonly unknown[] {
  const { const: only, enum: values = [only], "x-open": isOpen } = member;
  return isOpen === true && side === "reader" ? [] : (values as readonly unknown[]);
}

/** Like ajv's own keyword, but a reader's union may have a kind for every other value. */
const discriminator: CodeKeywordDefinition = {
  keyword: "discriminator",
  type: "object",
  schemaType: "object",
  code(cxt: KeywordCxt) {
    const { gen, data } = cxt;
    const { propertyName, kinds } = cxt.schema as Tag;
    const apply = (schemaProp: number): unknown =>
      cxt.subschema({ keyword: "oneOf", schemaProp }, gen.name("valid"));
    const tag = gen.const("tag", _`${data}[${propertyName}]`);
    gen.if(false);
    for (const [index, values] of kinds.entries()) {
      if (values.length === 0) continue;
      gen.elseIf(or(...values.map((value) => _`${tag} === ${value as string}`)));
      apply(index);
    }
    gen.else();
    const others = kinds.findIndex((values) => values.length === 0);
    if (others >= 0) apply(others);
    else
      gen.if(
        _`${tag} === undefined`,
        () => cxt.error(false, { isMissing: 1 }),
        () => cxt.error(false, { isMissing: 0 }),
      );
    gen.endIf();
  },
};

/** Like ajv's own keyword, but of a value without any of the forms only the nearest form's errors stay. */
const anyOf: CodeKeywordDefinition = {
  keyword: "anyOf",
  schemaType: "array",
  trackErrors: true,
  code(cxt: KeywordCxt) {
    const { gen } = cxt;
    const forms = (cxt.schema as readonly unknown[]).map((_form, schemaProp) => {
      const start = gen.const("start", _`errors`);
      const valid = gen.name("valid");
      cxt.subschema({ keyword: "anyOf", schemaProp, compositeRule: true }, valid);
      return { start, valid };
    });
    const starts = forms.reduce<Code>((all, { start }) => _`${all}${start}, `, nil);
    gen.if(
      or(...forms.map(({ valid }) => valid)),
      () => cxt.reset(),
      () => {
        cxt.error();
        gen.code(_`errors = keepNearest(vErrors, [${starts}])`);
      },
    );
  },
};

/** Rules by keywords: an error names the rule only, since the value may be a secret. */
const rules: Readonly<Record<string, (value: string) => string>> = {
  const: (value) => `must be ${value}`,
  enum: (value) => `must be one of ${value}`,
  maxLength: (value) => `must have at most ${value} characters`,
  minLength: (value) => `must have at least ${value} characters`,
  maxItems: (value) => `must have at most ${value} items`,
  minItems: (value) => `must have at least ${value} items`,
  maximum: (value) => `must be at most ${value}`,
  minimum: (value) => `must be at least ${value}`,
  exclusiveMaximum: (value) => `must be less than ${value}`,
  exclusiveMinimum: (value) => `must be more than ${value}`,
  format: (value) =>
    `must be a ${value === '"uri"' ? "http or https URL" : "time as YYYY-MM-DDTHH:mm:ss.SSSZ"}`,
  required: () => "is required",
  additionalProperties: () => "is not a member of this object",
  oneOf: () => "must have one of the described forms",
  anyOf: () => "must have one of the described forms",
};

function ruleOf({ keyword, schema, params }: KeywordErrorCxt): string {
  if (keyword === "pattern") return `must match ${String(schema)}`;
  if (keyword === "discriminator")
    return params["isMissing"] === 1
      ? "is required"
      : `must be one of ${JSON.stringify((schema as Tag).kinds.flat())}`;
  return rules[keyword]?.(JSON.stringify(schema)) ?? `must fit the keyword ${keyword}`;
}

/** The last step of an error's pointer, as code, where the error is about a member and reported by the object. */
function stepOf({ keyword, params, schema }: KeywordErrorCxt): Code {
  if (keyword === "additionalProperties")
    return _`"/" + ${params["additionalProperty"]}.replaceAll("~", "~0").replaceAll("/", "~1")`;
  if (keyword === "discriminator") return _`${pointerOf([(schema as Tag).propertyName])}`;
  if (keyword !== "required") return _`""`;
  // The code of a missing member's name is a literal.
  return _`${pointerOf([JSON.parse(String(params["missingProperty"])) as string])}`;
}
