import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { pointerOf } from "@countersign/schemas";
import { commonTypes, type JsonSchema, nameOf, partsOf } from "../documents/json-schema.ts";
import { SchemaNormaliser } from "../documents/schema-normaliser.ts";
import { filesInMemory } from "../documents/source-files.ts";

/** Named schemas: those of a set, or of a document that `readDocument` returns. */
export interface SchemaSource {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** File and JSON Pointer of each named schema. */
  readonly places: ReadonlyMap<string, string>;
  /** True if `date-time` and `uri` refuse values, as in our schemas. Default false: formats are annotations. */
  readonly hasFormats?: boolean;
}

/** A schema and its place. */
export interface LocatedSchema {
  readonly schema: JsonSchema;
  readonly source: SchemaSource;
  /** File and JSON Pointer, for example `events/refund.failed.schema.json#/properties/data`. */
  readonly place: string;
}

/** Documents that refer to each other by relative paths. */
export interface SchemaSet {
  /** Paths of all documents, sorted. */
  readonly paths: readonly string[];
  /** @throws {TypeError} The document does not exist. @throws {DocumentError} It cannot be used. */
  readonly document: (path: string) => LocatedSchema;
}

const load = createRequire(import.meta.url);

/** A set of JSON Schemas in memory, by their paths. */
export function schemaSet(
  documents: Readonly<Record<string, unknown>>,
  { hasFormats = false }: { readonly hasFormats?: boolean } = {},
): SchemaSet {
  const files = filesInMemory(documents);
  const normaliser = new SchemaNormaliser(files);
  const { schemas, places } = normaliser;
  return {
    paths: files.entries,
    document: (path) => {
      if (!files.entries.includes(path)) throw new TypeError(`unknown schema ${path}`);
      const schema = normaliser.read({
        ...files.root(path),
        value: { $ref: encodeURIComponent(basename(path)) },
      });
      normaliser.refuseCircles();
      return resolve({ schema, source: { schemas, places, hasFormats }, place: `${path}#` });
    },
  };
}

/**
 * The JSON Schemas `*.schema.json` below a folder, or every `*.json` if it has no such file.
 *
 * @throws {SyntaxError} One of them is not JSON.
 */
export function readSchemaSet(folder: string, pattern = "**/*.schema.json"): SchemaSet {
  return schemaSet(readFolder(folder, pattern));
}

function readFolder(folder: string, pattern: string): Record<string, unknown> {
  const named = globSync(pattern, { cwd: folder });
  const paths = named.length > 0 ? named : globSync("**/*.json", { cwd: folder });
  return Object.fromEntries(
    paths.map((path) => {
      const document: unknown = JSON.parse(readFileSync(join(folder, path), "utf8"));
      return [path.replaceAll("\\", "/"), document];
    }),
  );
}

let standard: SchemaSet | undefined;

/** The documents of the interface in `@countersign/schemas`, which are read once. */
export function standardSchemas(): SchemaSet {
  const folder = dirname(dirname(load.resolve("@countersign/schemas/events/event.schema.json")));
  const pattern = "{resources,events,profiles}/*.schema.json";
  return (standard ??= schemaSet(readFolder(folder, pattern), { hasFormats: true }));
}

/** The schema itself, or what it refers to. */
export function resolve(located: LocatedSchema): LocatedSchema {
  const { $ref: reference } = located.schema;
  if (reference === undefined) return located;
  const { source } = located;
  const name = nameOf(reference);
  return resolve({
    source,
    schema: source.schemas[name] ?? {},
    place: source.places.get(name) ?? name,
  });
}

/** A part of a schema. */
export const inside = (
  { source, place }: LocatedSchema,
  schema: JsonSchema,
  ...steps: readonly (string | number)[]
): LocatedSchema => ({ source, schema, place: place + pointerOf(steps) });

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

/** The kinds of a union, each with the type and the members next to the union. */
export function wholeKindsOf(located: LocatedSchema): readonly LocatedSchema[] {
  const { oneOf: _, anyOf: __, ...own } = located.schema;
  const kinds = kindsOf(located);
  if (own.properties === undefined && own.type === undefined) return kinds;
  return kinds.map(resolve).flatMap((kind) => {
    const type = commonTypes(own.type, kind.schema.type);
    const properties = { ...own.properties, ...kind.schema.properties };
    const required = [...(own.required ?? []), ...(kind.schema.required ?? [])];
    const schema = { ...own, ...kind.schema, properties, required: [...new Set(required)] };
    return type?.length === 0 ? [] : [{ ...kind, schema: { ...schema, ...(type && { type }) } }];
  });
}

/** True if a schema is a union of kinds. */
export const isUnion = ({ oneOf, anyOf }: JsonSchema): boolean =>
  oneOf !== undefined || anyOf !== undefined;

/** The schema of its items, if it has one. */
export function itemsOf(located: LocatedSchema): LocatedSchema | undefined {
  const { items } = located.schema;
  return items === undefined ? undefined : inside(located, items, "items");
}

/** The schemas in it. */
export const insidesOf = (located: LocatedSchema): readonly LocatedSchema[] =>
  partsOf(located.schema).map(([steps, part]) => inside(located, part, ...steps));

/** The longest text or list that is derived. */
export const LONGEST = 100_000;
