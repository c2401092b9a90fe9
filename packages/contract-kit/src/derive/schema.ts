import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, posix } from "node:path";
import { pointerOf } from "@countersign/schemas";

/** A schema of the closed subset of JSON Schema 2020-12 that `@countersign/schemas` is written in. */
export interface Schema {
  readonly $schema?: string;
  readonly $id?: string;
  readonly $ref?: string;
  readonly $comment?: string;
  readonly title?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly examples?: readonly unknown[];
  /** Invalid values, for tests. */
  readonly "x-invalid"?: readonly unknown[];
  readonly type?: TypeName | readonly TypeName[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  /** The kinds of a union for readers, which overlap. */
  readonly anyOf?: readonly Schema[];
  readonly discriminator?: { readonly propertyName: string };
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  /** An enum that readers take as open. */
  readonly "x-open"?: boolean;
}

export type TypeName = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

/** A schema and its place, the base of its relative references. */
export interface LocatedSchema {
  readonly schema: Schema;
  readonly set: SchemaSet;
  /** Path of its document in the set, for example `events/refund.failed.schema.json`. */
  readonly path: string;
  /** JSON Pointer of the schema in its document. */
  readonly at: string;
}

/** Documents that refer to each other by relative paths. */
export interface SchemaSet {
  /** Paths of all documents, sorted. */
  readonly paths: readonly string[];
  /** @throws {TypeError} The document does not exist. */
  readonly document: (path: string) => LocatedSchema;
}

const load = createRequire(import.meta.url);

/** A set of documents in memory, by their paths. */
export function schemaSet(documents: Readonly<Record<string, Schema>>): SchemaSet {
  const byPath = new Map(Object.entries(documents));
  const set: SchemaSet = {
    paths: [...byPath.keys()].toSorted(),
    document: (path) => {
      const schema = byPath.get(path);
      if (schema === undefined) throw new TypeError(`unknown schema ${path}`);
      return { schema, set, path, at: "" };
    },
  };
  return set;
}

/**
 * The documents `*.schema.json` below a folder, or every `*.json` if it has no such file.
 *
 * @throws {SyntaxError} One of them is not JSON.
 */
export function readSchemaSet(folder: string, pattern = "**/*.schema.json"): SchemaSet {
  const named = globSync(pattern, { cwd: folder });
  const paths = named.length > 0 ? named : globSync("**/*.json", { cwd: folder });
  return schemaSet(
    Object.fromEntries(
      paths.map((path) => [path.replaceAll("\\", "/"), readSchema(join(folder, path))]),
    ),
  );
}

/** @throws {SyntaxError} The file is not JSON. */
export function readSchema(file: string): Schema {
  // A keyword outside the subset is refused with its place.
  return JSON.parse(readFileSync(file, "utf8"), withHints) as Schema;
}

let standard: SchemaSet | undefined;

/** The documents of the interface in `@countersign/schemas`, which are read once. */
export const standardSchemas = (): SchemaSet =>
  (standard ??= readSchemaSet(
    dirname(load.resolve("@countersign/schemas/keywords.json")),
    "{resources,events,profiles}/*.schema.json",
  ));

// The prefix that the generator of `@countersign/schemas` writes.
const HINT = "countersign ";

/** Restores the keywords of a shipped schema that other validators reject, from its `$comment`. */
function withHints(_name: string, part: unknown): unknown {
  if (typeof part !== "object" || part === null || !("$comment" in part)) return part;
  const { $comment: comment, ...rest } = part;
  if (typeof comment !== "string" || !comment.startsWith(HINT)) return part;
  return { ...rest, ...(JSON.parse(comment.slice(HINT.length)) as object) };
}

// The subset is defined once, in the schemas' package.
const subset = load("@countersign/schemas/keywords.json") as {
  readonly keywords: readonly string[];
  readonly formats: readonly string[];
};

/** A schema uses an unsupported keyword, format or size; the message names it. */
export class OutsideSubsetError extends TypeError {
  readonly code = "CS_KIT_OUTSIDE_SUBSET";
  /** Document and JSON Pointer of the schema. */
  readonly place: string;
  constructor(place: string, message: string) {
    super(`${place}: ${message}`);
    this.name = "OutsideSubsetError";
    this.place = place;
  }
}

/**
 * The schema itself, or what it refers to.
 *
 * @throws {OutsideSubsetError} `CS_KIT_OUTSIDE_SUBSET`: a keyword, a format or a size that is not of the subset,
 *   or a validating keyword next to `$ref`.
 */
export function resolve(located: LocatedSchema): LocatedSchema {
  const { schema, path, set } = located;
  requireSubset(located);
  if (schema.$ref === undefined) return located;
  const [document = "", pointer = ""] = schema.$ref.split("#");
  if (pointer !== "") throw new OutsideSubsetError(placeOf(located), "$ref names a whole document");
  const target = posix.join(posix.dirname(path), document);
  if (!set.paths.includes(target))
    throw new OutsideSubsetError(placeOf(located), `unknown document ${target}`);
  return resolve(set.document(target));
}

/** A schema inside another one, at the end of its steps. */
export function inside(
  located: LocatedSchema,
  schema: Schema,
  ...steps: readonly (string | number)[]
): LocatedSchema {
  return { ...located, schema, at: located.at + pointerOf(steps) };
}

/** Its members, each with its schema, in the order of the document. */
export function membersOf(located: LocatedSchema): readonly (readonly [string, LocatedSchema])[] {
  return Object.entries(located.schema.properties ?? {}).map(
    ([name, schema]) => [name, inside(located, schema, "properties", name)] as const,
  );
}

/** The kinds of a union. */
export function kindsOf(located: LocatedSchema): readonly LocatedSchema[] {
  const { oneOf, anyOf = [] } = located.schema;
  const keyword = oneOf === undefined ? "anyOf" : "oneOf";
  return (oneOf ?? anyOf).map((kind, index) => inside(located, kind, keyword, index));
}

/** True if a schema is a union of kinds. */
export const isUnion = ({ oneOf, anyOf }: Schema): boolean =>
  oneOf !== undefined || anyOf !== undefined;

/** The schema of its items, if it has one. */
export function itemsOf(located: LocatedSchema): LocatedSchema | undefined {
  const { items } = located.schema;
  return items === undefined ? undefined : inside(located, items, "items");
}

/** The schemas of its kinds, members and items. */
export function insidesOf(located: LocatedSchema): readonly LocatedSchema[] {
  const members = membersOf(located).map(([, member]) => member);
  return [...kindsOf(located), ...members, ...[itemsOf(located) ?? []].flat()];
}

/** Document and JSON Pointer, for people and for coverage. */
export function placeOf({ path, at }: LocatedSchema): string {
  return `${path}#${at}`;
}

const ANNOTATIONS = ["$ref", "$comment", "title", "description", "examples", "deprecated"];

/** The longest text or list that is derived. */
export const LONGEST = 100_000;

function requireSubset(located: LocatedSchema): void {
  const { schema } = located;
  const keywords = Object.keys(schema);
  const known = new Set([...subset.keywords, "$comment", "anyOf"]);
  const unknown = keywords.find((keyword) => !known.has(keyword));
  const place = placeOf(located);
  if (unknown !== undefined)
    throw new OutsideSubsetError(place, `the keyword ${unknown} is unknown`);
  if (schema.format !== undefined && !subset.formats.includes(schema.format))
    throw new OutsideSubsetError(place, `the format ${schema.format} is unknown`);
  for (const keyword of ["minLength", "minItems"] as const) {
    const { [keyword]: least = 0 } = schema;
    if (!(least >= 0 && least <= LONGEST))
      throw new OutsideSubsetError(place, `${keyword} is not from 0 to ${String(LONGEST)}`);
  }
  // Derivation follows the reference, and would ignore what is next to it.
  const beside = schema.$ref !== undefined && keywords.find((one) => !ANNOTATIONS.includes(one));
  if (typeof beside === "string")
    throw new OutsideSubsetError(place, `unsupported ${beside} next to $ref`);
}
