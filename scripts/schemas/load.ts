import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The repository's folder, with a slash at its end. */
export const root: string = fileURLToPath(new URL("../../", import.meta.url));

/** Reads a JSON file of the repository, whose form the tests of the workspace check. */
export const readJson = (path: string): unknown => JSON.parse(readFileSync(root + path, "utf8"));

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

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
  const byId = new Map(files.map(({ id, source }) => [id, source]));
  return files.map((file) => ({
    ...file,
    schema: mapSchema(file.source, (part) => merged(part, file.id, byId)),
  }));
}

/** Replaces a reference with `properties` or `required` next to it by its target with these merged in. */
function merged(part: Schema, base: string, byId: ReadonlyMap<string, Schema>): Schema {
  const { $ref: ref, ...narrowing } = part;
  if (typeof ref !== "string" || !isNarrowing(narrowing)) return part;
  const targetId = new URL(ref, base).href;
  const target = byId.get(targetId);
  if (target === undefined) throw new Error(`${base}: no schema ${ref}`);
  return narrowed(rebased(target, targetId, base), narrowing);

  function narrowed(wide: Schema, narrow: Schema): Schema {
    const { properties: members = {} } = narrow as Parts;
    const { oneOf, discriminator } = wide as Parts;
    if (oneOf !== undefined) {
      const tag = discriminator?.propertyName ?? "";
      const value = members[tag]?.["const"];
      const kind = oneOf.find(({ properties }) =>
        admits((properties as Parts["properties"])?.[tag], value),
      );
      if (kind === undefined)
        throw new Error(`${base}: no kind of the target has ${tag} ${JSON.stringify(value)}`);
      return narrowed(kind, narrow);
    }
    const { title: _, ...rest } = wide;
    const { properties = {}, required = [] } = rest as Parts;
    return {
      ...rest,
      required: [...new Set([...required, ...((narrow as Parts).required ?? [])])],
      properties: {
        ...properties,
        ...Object.fromEntries(
          Object.entries(members).map(([name, member]) => {
            const { "x-open": _open, enum: _values, ...own } = properties[name] ?? {};
            return [name, merged({ ...own, ...member }, base, byId)];
          }),
        ),
      },
    };
  }
}

interface Parts {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly oneOf?: readonly Schema[];
  readonly discriminator?: { readonly propertyName: string };
}

const isNarrowing = (rest: Schema): boolean => "properties" in rest || "required" in rest;

const admits = (tag: Schema | undefined, value: unknown): boolean =>
  tag?.["const"] === value ||
  ((tag?.["enum"] as readonly unknown[] | undefined) ?? []).includes(value);

/** A copy of a file's schema without its own identity, whose references are relative to another file. */
function rebased(
  { $schema: _schema, $id: _id, examples: _examples, "x-invalid": _invalid, ...schema }: Schema,
  from: string,
  to: string,
): Schema {
  const up = new URL(".", to).href.slice(BASE.length).replaceAll(/[^/]+\//g, "../");
  return mapSchema(schema, (part) =>
    typeof part["$ref"] === "string"
      ? { ...part, $ref: up + new URL(part["$ref"], from).href.slice(BASE.length) }
      : part,
  );
}

/** A copy of a schema, with every subschema replaced, innermost first. */
export function mapSchema(schema: Schema, change: (schema: Schema) => Schema): Schema {
  const { properties, items, oneOf } = schema as {
    properties?: Record<string, Schema>;
    items?: Schema;
    oneOf?: Schema[];
  };
  return change({
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, child]) => [name, mapSchema(child, change)]),
      ),
    }),
    ...(items && { items: mapSchema(items, change) }),
    ...(oneOf && { oneOf: oneOf.map((child) => mapSchema(child, change)) }),
  });
}
