import { pointerOf, stepsOf } from "@countersign/schemas";

export type TypeName = (typeof TYPES)[number];

type Schemas = Readonly<Record<string, JsonSchema>>;

type Optional<Keywords extends string, Value> = { readonly [keyword in Keywords]?: Value };
type Limits = "Length" | "Items" | "Properties" | "Contains";

/**
 * A schema as `readDocument` returns it: JSON Schema 2020-12 without `allOf` of what can be merged. Keywords next to
 * `oneOf` and `anyOf` count too. `format` is an annotation, as JSON Schema says.
 */
export interface JsonSchema
  extends
    Optional<"title" | "description" | "pattern" | "format", string>,
    Optional<"deprecated" | "uniqueItems", boolean>,
    Optional<`min${Limits}` | `max${Limits}` | "minimum" | "maximum" | "multipleOf", number>,
    Optional<"exclusiveMinimum" | "exclusiveMaximum", number> {
  /** `#/schemas/NAME`, with at most annotations next to it. */
  readonly $ref?: string;
  readonly examples?: readonly unknown[];
  readonly type?: TypeName | readonly TypeName[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  /** True for an enum that readers take as open: `x-open`, or the list was an `x-extensible-enum`. */
  readonly "x-open"?: boolean;
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  /** Parts that cannot be merged, such as a second pattern. */
  readonly allOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly if?: JsonSchema;
  readonly then?: JsonSchema;
  readonly else?: JsonSchema;
  /** Each kind of the union next to it has one value, or some, of this member. */
  readonly discriminator?: { readonly propertyName: string };
  readonly properties?: Schemas;
  readonly patternProperties?: Schemas;
  readonly dependentSchemas?: Schemas;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly unevaluatedProperties?: JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly required?: readonly string[];
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly unevaluatedItems?: JsonSchema;
  readonly contains?: JsonSchema;
}

/** The types that a schema names; empty if it names none. */
export const typesOf = ({ type }: JsonSchema): readonly TypeName[] => [type ?? []].flat();

/** The values that a schema lists; `undefined` if it lists none. */
export const valuesOf = (schema: JsonSchema): readonly unknown[] | undefined =>
  schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);

/** The types that a schema names, or those of the values that it lists; empty if it has neither. */
export const namedTypes = (schema: JsonSchema): readonly TypeName[] =>
  schema.type === undefined ? (valuesOf(schema) ?? []).map(typeOf) : typesOf(schema);

function typeOf(value: unknown): TypeName {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (Number.isInteger(value)) return "integer";
  // A value of JSON is nothing else.
  return typeof value as "boolean" | "number" | "string" | "object";
}

type Types = JsonSchema["type"];
const TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"] as const;

/** A value of the keyword `type`; `undefined` if JSON has no such type. */
export function typesIn(value: unknown): Types {
  const types = [value].flat().flatMap((one) => TYPES.find((type) => type === one) ?? []);
  return types.length === [value].flat().length ? oneOrMore(types) : undefined;
}

/** The types that both allow; a whole number is a number. `undefined` allows all. */
export function commonTypes(one: Types, other: Types): Types {
  if (one === undefined || other === undefined) return one ?? other;
  const [before, after] = [[one].flat(), [other].flat()];
  const allows = (all: readonly TypeName[], type: TypeName): boolean =>
    all.includes(type) || (type === "integer" && all.includes("number"));
  const both = [...new Set([...before, ...after])];
  return oneOrMore(both.filter((type) => allows(before, type) && allows(after, type)));
}

const oneOrMore = (types: readonly TypeName[]): TypeName | readonly TypeName[] =>
  types.length === 1 && types[0] !== undefined ? types[0] : types;

export const referenceTo = (name: string): string => `#${pointerOf(["schemas", name])}`;

/** The name that a `$ref` of a normalised schema refers to. */
export const nameOf = (reference: string): string => stepsOf(reference)[1] ?? "";

/** The schema itself, or the named schema that it refers to. */
export function resolved(schema: JsonSchema, schemas: Schemas): JsonSchema {
  let at = schema;
  // The reader of documents refuses circles of references.
  while (at.$ref !== undefined) at = schemas[nameOf(at.$ref)] ?? {};
  return at;
}

/** The members of an object and of the objects in it, to a number of levels, each with the steps to it. */
export const membersWithin = (
  schema: JsonSchema,
  schemas: Schemas,
  levels: number,
): readonly (readonly [steps: readonly string[], member: JsonSchema])[] =>
  Object.entries((levels > 0 && resolved(schema, schemas).properties) || {}).flatMap(
    ([name, member]) => [
      [[name], member] as const,
      ...membersWithin(member, schemas, levels - 1).map(
        ([steps, inner]) => [[name, ...steps], inner] as const,
      ),
    ],
  );

/** The texts that a schema lists. */
export const listedTexts = (schema: JsonSchema, schemas: Schemas): readonly string[] =>
  (valuesOf(resolved(schema, schemas)) ?? []).filter((value) => typeof value === "string");

const ONE =
  /^(?:not|if|then|else|contains|items|(?:additional|unevaluated)Properties|propertyNames|unevaluatedItems)$/;
const LISTS = /^(?:oneOf|anyOf|allOf|prefixItems)$/;
const BY_NAME = /^(?:properties|patternProperties|dependentSchemas)$/;

/** True for a keyword whose value is a schema, or holds schemas. */
export const isApplicator = (keyword: string): boolean =>
  [ONE, LISTS, BY_NAME].some((keywords) => keywords.test(keyword));

/** A part of a schema, with the keyword and the name or index that lead to it. */
export type SchemaPart = readonly [steps: readonly (string | number)[], part: JsonSchema];

/** The schemas in a schema. */
export function partsOf(schema: JsonSchema): readonly SchemaPart[] {
  return Object.entries(schema).flatMap(([keyword, value]: [string, unknown]): SchemaPart[] => {
    // The keyword decides what the value is.
    if (BY_NAME.test(keyword))
      return Object.entries(value as Schemas).map(([name, part]) => [[keyword, name], part]);
    if (LISTS.test(keyword))
      return (value as readonly JsonSchema[]).map((part, index) => [[keyword, index], part]);
    const isOne = ONE.test(keyword) && typeof value === "object";
    return isOne ? [[[keyword], value as JsonSchema]] : [];
  });
}
