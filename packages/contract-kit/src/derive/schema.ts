import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pointerOf } from "@countersign/schemas";
import { commonTypes, type JsonSchema, nameOf } from "../documents/json-schema.ts";
import { folderDocument } from "../documents/read-document.ts";
import { filesInMemory } from "../documents/source-files.ts";

/** Named schemas, such as those of a document that `readDocument` returns. */
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

/**
 * A schema by its name: in a folder, the name of its file without `.schema.json`.
 *
 * @throws {TypeError} The source has no schema of that name.
 */
export function schemaNamed(source: SchemaSource, name: string): LocatedSchema {
  const schema = source.schemas[name];
  if (schema === undefined) throw new TypeError(`unknown schema ${name}`);
  return resolve({ schema, source, place: source.places.get(name) ?? name });
}

let standard: SchemaSource | undefined;

/** The schemas of the payment interface in `@countersign/schemas`, which are read once. */
export function standardSchemas(): SchemaSource {
  if (standard !== undefined) return standard;
  const { resolve: find } = createRequire(import.meta.url);
  const folder = dirname(dirname(find("@countersign/schemas/events/event.schema.json")));
  const paths = globSync("{resources,events,profiles}/*.schema.json", { cwd: folder });
  const files = paths.map((path): [string, unknown] => {
    return [path.replaceAll("\\", "/"), JSON.parse(readFileSync(join(folder, path), "utf8"))];
  });
  const document = folderDocument("schemas", filesInMemory(Object.fromEntries(files)));
  return (standard = { ...document, hasFormats: true });
}

/** The schema itself, or what it refers to. */
export function resolve(located: LocatedSchema): LocatedSchema {
  const { schema, source } = located;
  if (schema.$ref === undefined) return located;
  const name = nameOf(schema.$ref);
  const place = source.places.get(name) ?? name;
  return resolve({ source, schema: source.schemas[name] ?? {}, place });
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

const wholeKinds = new WeakMap<JsonSchema, readonly LocatedSchema[]>();

/** The kinds of a union, each with the type and the members next to the union. */
export function wholeKindsOf(located: LocatedSchema): readonly LocatedSchema[] {
  // The same objects each time: a validator is compiled for each.
  const known = wholeKinds.get(located.schema);
  if (known !== undefined) return known;
  const { oneOf: _, anyOf: __, ...own } = located.schema;
  const isPlain = own.properties === undefined && own.type === undefined;
  const kinds = kindsOf(located).flatMap((one): readonly LocatedSchema[] => {
    const { schema, ...kind } = resolve(one);
    const type = commonTypes(own.type, schema.type);
    if (isPlain || type?.length === 0) return isPlain ? [one] : [];
    const properties = { ...own.properties, ...schema.properties };
    const required = [...new Set([...(own.required ?? []), ...(schema.required ?? [])])];
    const whole = { ...own, ...schema, properties, required };
    return [{ ...kind, schema: { ...whole, ...(type && { type }) } }];
  });
  wholeKinds.set(located.schema, kinds);
  return kinds;
}

/** True if a schema is a union of kinds. */
export const isUnion = ({ oneOf, anyOf }: JsonSchema): boolean =>
  oneOf !== undefined || anyOf !== undefined;

/** The schema of its items, if it has one. */
export function itemsOf(located: LocatedSchema): LocatedSchema | undefined {
  const { items } = located.schema;
  return items === undefined ? undefined : inside(located, items, "items");
}

/** The longest text or list that is derived. */
export const LONGEST = 100_000;
