import { globSync, readFileSync } from "node:fs";

/** A schema as it stands in its file. */
export type Schema = Readonly<Record<string, unknown>>;

export interface SchemaFile {
  /** Path below `schemas/`. */
  readonly path: string;
  readonly id: string;
  readonly title: string;
  readonly schema: Schema;
}

/** The first line of every generated file. */
export const BANNER = "// Generated from schemas/ by `pnpm generate`. Do not edit.";
export const BASE = "https://countersign.example/schemas/";

/**
 * Every schema below a folder, in the order of their paths.
 *
 * @throws {Error} a schema has no title, or its `$id` is not its path's.
 */
export function loadSchemas(folder: string): readonly SchemaFile[] {
  return globSync("{resources,events,profiles}/*.schema.json", { cwd: folder })
    .map((path) => path.replaceAll("\\", "/"))
    .toSorted()
    .map((path) => {
      const schema = JSON.parse(readFileSync(`${folder}/${path}`, "utf8")) as Schema;
      const { $id: id, title } = schema;
      if (id !== BASE + path) throw new Error(`${path}: "$id" must be ${BASE}${path}`);
      if (typeof title !== "string") throw new Error(`${path}: "title" is missing`);
      return { path, id, title, schema };
    });
}
