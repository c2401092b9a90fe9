import { createRequire } from "node:module";
import { posix } from "node:path";
import type { LocatedSchema, Schema } from "./schema.ts";

// The subset is told once, in the schemas' package.
const subset = createRequire(import.meta.url)("@countersign/schemas/keywords.json") as {
  readonly keywords: readonly string[];
  readonly formats: readonly string[];
};

/** A schema could not be derived from: it says something that would be left out in silence. */
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
 * @throws {OutsideSubsetError} `CS_KIT_OUTSIDE_SUBSET`: a keyword or a format that is not of the subset,
 *   or a judging keyword beside `$ref`.
 */
export function resolve(located: LocatedSchema): LocatedSchema {
  const { schema, path, set } = located;
  requireSubset(located);
  if (schema.$ref === undefined) return located;
  const [document = "", pointer = ""] = schema.$ref.split("#");
  if (pointer !== "") throw new OutsideSubsetError(placeOf(located), "$ref names a whole document");
  return resolve(set.document(posix.join(posix.dirname(path), document)));
}

/** A schema inside another one. `step` is the rest of its JSON Pointer. */
export function inside(located: LocatedSchema, schema: Schema, step: string): LocatedSchema {
  return { ...located, schema, at: `${located.at}/${step}` };
}

/** Its members, each with its schema, in the order of the document. */
export function membersOf(located: LocatedSchema): readonly (readonly [string, LocatedSchema])[] {
  return Object.entries(located.schema.properties ?? {}).map(
    ([name, schema]) =>
      [name, inside(located, schema, `properties/${escapePointer(name)}`)] as const,
  );
}

/** Its kinds, where it is a union. */
export function kindsOf(located: LocatedSchema): readonly LocatedSchema[] {
  return (located.schema.oneOf ?? []).map((kind, index) =>
    inside(located, kind, `oneOf/${String(index)}`),
  );
}

/** What its items are, where it says so. */
export function itemsOf(located: LocatedSchema): LocatedSchema | undefined {
  const { items } = located.schema;
  return items === undefined ? undefined : inside(located, items, "items");
}

/** Document and JSON Pointer, for people and for coverage. */
export function placeOf({ path, at }: LocatedSchema): string {
  return `${path}#${at}`;
}

/** A name as a step of a JSON Pointer (RFC 6901 section 3). */
export function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

const ANNOTATIONS = ["$ref", "title", "description", "examples", "deprecated"];

function requireSubset(located: LocatedSchema): void {
  const { schema } = located;
  const keywords = Object.keys(schema);
  const unknown = keywords.find((keyword) => !subset.keywords.includes(keyword));
  const place = placeOf(located);
  if (unknown !== undefined)
    throw new OutsideSubsetError(place, `the keyword ${unknown} is unknown`);
  if (schema.format !== undefined && !subset.formats.includes(schema.format))
    throw new OutsideSubsetError(place, `the format ${schema.format} is unknown`);
  // Derivation follows the reference, and would leave out what stands beside it.
  const beside = schema.$ref !== undefined && keywords.find((one) => !ANNOTATIONS.includes(one));
  if (typeof beside === "string")
    throw new OutsideSubsetError(place, `${beside} stands beside $ref`);
}
