import { globSync, readFileSync } from "node:fs";
import { root } from "../packages.ts";

export { root } from "../packages.ts";

/** Reads a file of the repository. */
export const readText = (path: string): string => readFileSync(root + path, "utf8");

/** Reads a JSON file of the repository, whose form tests check. */
export const readJson = (path: string): unknown => JSON.parse(readText(path));

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

/** The members of a schema that lead to others. */
export interface Parts {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly discriminator?: { readonly propertyName: string };
}

export interface SchemaFile {
  /** Path below `schemas/`. */
  readonly path: string;
  readonly id: string;
  readonly title: string;
  /** The schema with every narrowed reference merged with its target. */
  readonly schema: Schema;
  /** The schema as it is in its file. */
  readonly source: Schema;
}

/** The first line of every generated file. */
export const BANNER = "// Generated from schemas/ by scripts/generate.ts. Do not edit.";
export const BASE = "https://countersign.example/schemas/";

/**
 * Loads every schema below a folder, in the order of their paths.
 *
 * @throws {Error} A schema has no title, its `$id` does not match its path, or a reference leads nowhere.
 */
export function loadSchemas(folder: string): readonly SchemaFile[] {
  const files = globSync("{resources,events,profiles}/*.schema.json", { cwd: folder })
    .map((path) => path.replaceAll("\\", "/"))
    .toSorted()
    .map((path) => {
      const source = JSON.parse(readFileSync(`${folder}/${path}`, "utf8")) as Schema;
      const { $id: id, title } = source;
      if (id !== BASE + path) throw new Error(`${path}: "$id" must be ${BASE}${path}`);
      if (typeof title !== "string") throw new Error(`${path}: "title" is missing`);
      return { path, id, title, source };
    });
  return files.map((file) => ({
    ...file,
    schema: mapSchema(file.source, (part) => merged(part, file.id, files)),
  }));
}

/**
 * Returns the file that a reference of another one leads to.
 *
 * @throws {Error} There is none.
 */
export function targetOf<File extends { readonly id: string }>(
  ref: string,
  base: string,
  files: readonly File[],
): File {
  const target = files.find(({ id }) => id === new URL(ref, base).href);
  if (target === undefined) throw new Error(`${base}: no schema ${ref}`);
  return target;
}

type Sources = readonly Omit<SchemaFile, "schema">[];

/** Replaces a reference with `properties` or `required` next to it by its target with these merged in. */
function merged(part: Schema, base: string, files: Sources): Schema {
  const { $ref: ref, ...narrowing } = part as Parts;
  if (ref === undefined || !("properties" in narrowing || "required" in narrowing)) return part;
  const { id, source } = targetOf(ref, base, files);
  const {
    $schema: _schema,
    $id: _id,
    examples: _examples,
    "x-invalid": _invalid,
    ...wide
  } = source;
  // Its references become relative to this file.
  const up = new URL(".", base).href.slice(BASE.length).replaceAll(/[^/]+\//g, "../");
  const moved = mapSchema(wide, (one) =>
    typeof one["$ref"] === "string"
      ? { ...one, $ref: up + new URL(one["$ref"], id).href.slice(BASE.length) }
      : one,
  );
  return narrowed(moved, narrowing, (member) => merged(member, base, files));
}

function narrowed(wide: Schema, narrow: Parts, merge: (member: Schema) => Schema): Schema {
  const { oneOf, discriminator, properties = {}, required = [] } = wide as Parts;
  const members = narrow.properties ?? {};
  if (oneOf !== undefined) {
    const tag = discriminator?.propertyName ?? "";
    const value = members[tag]?.["const"];
    const kind = oneOf.find((one) => {
      const { const: only, enum: values = [only] } = (one as Parts).properties?.[tag] ?? {};
      return (values as readonly unknown[]).includes(value);
    });
    if (kind === undefined) throw new Error(`no kind has ${tag} ${JSON.stringify(value)}`);
    return narrowed(kind, narrow, merge);
  }
  const { title: _, ...rest } = wide;
  const fixed = Object.entries(members).map(([name, member]) => {
    const { "x-open": _open, enum: _values, ...own } = properties[name] ?? {};
    return [name, merge({ ...own, ...member })] as const;
  });
  return {
    ...rest,
    required: [...new Set([...required, ...(narrow.required ?? [])])],
    properties: { ...properties, ...Object.fromEntries(fixed) },
  };
}

/** Copies a schema, with every subschema replaced, innermost first. */
export function mapSchema(schema: Schema, change: (schema: Schema) => Schema): Schema {
  const { properties, items, oneOf } = schema as Parts;
  const inner = Object.entries(properties ?? {}).map(
    ([name, child]) => [name, mapSchema(child, change)] as const,
  );
  return change({
    ...schema,
    ...(properties && { properties: Object.fromEntries(inner) }),
    ...(items && { items: mapSchema(items, change) }),
    ...(oneOf && { oneOf: oneOf.map((child) => mapSchema(child, change)) }),
  });
}
