// Loads the schemas with narrowed references merged: libraries resolve references, but narrow nothing.
import { globSync, readFileSync } from "node:fs";
import type { Schema } from "../../packages/service/src/documents/profiled-schemas.ts";
import { mapSchema } from "../../packages/service/src/documents/sides.ts";
import { root } from "../packages.ts";

export { root } from "../packages.ts";
export { mapSchema, type Schema };

/** Reads a JSON file of the repository, whose form tests check. */
export const readJson = (path: string): unknown => JSON.parse(readFileSync(root + path, "utf8"));

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
 * @throws {Error} No file has that id.
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

/** Replaces a reference with `properties` next to it by its target with these merged in. */
function merged(part: Schema, base: string, files: Sources): Schema {
  const { $ref: ref, properties } = part;
  if (ref === undefined || properties === undefined) return part;
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
    one.$ref === undefined
      ? one
      : { ...one, $ref: up + new URL(one.$ref, id).href.slice(BASE.length) },
  );
  return narrowed(moved, properties, (member) => merged(member, base, files));
}

/** Narrows members of a schema, or of the kind of a union that its tag selects. */
function narrowed(
  wide: Schema,
  members: NonNullable<Schema["properties"]>,
  merge: (member: Schema) => Schema,
): Schema {
  const { oneOf, discriminator, properties = {} } = wide;
  if (oneOf !== undefined) {
    const tag = discriminator?.propertyName ?? "";
    const value = members[tag]?.["const"];
    const kind = oneOf.find((one) => valuesOf(one.properties?.[tag]).includes(value));
    if (kind === undefined) throw new Error(`no kind has ${tag} ${JSON.stringify(value)}`);
    return narrowed(kind, members, merge);
  }
  const { title: _, ...rest } = wide;
  const fixed = Object.entries(members).map(([name, member]) => {
    const { "x-open": _open, enum: _values, ...own } = properties[name] ?? {};
    return [name, merge({ ...own, ...member })] as const;
  });
  return { ...rest, properties: { ...properties, ...Object.fromEntries(fixed) } };
}

/** The values that a constant or an enum allows. */
export const valuesOf = ({ const: only, enum: values = [only] }: Schema = {}): readonly unknown[] =>
  values as readonly unknown[];
