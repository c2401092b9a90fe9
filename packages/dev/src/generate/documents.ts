import { readFileSync } from "node:fs";
import { BANNER } from "./banner.ts";
import type { EventRow } from "./catalogue.ts";
import { mapSchema, subset } from "./keywords.ts";
import type { Schema, SchemaFile } from "./load.ts";

/**
 * The schemas and the profiles as they are shipped: without the values that they refuse, which are
 * for tests, and without spaces; and the keywords that they are written in.
 */
export function documents(folder: string, files: readonly SchemaFile[]): Record<string, string> {
  const schemas = files.map(({ path, schema }): [string, string] => {
    const shipped = mapSchema(schema, ({ "x-invalid": _refused, ...rest }) => rest);
    return [`documents/${path}`, `${JSON.stringify(shipped)}\n`];
  });
  const profiles = ["standard", "x-signature"].map((name): [string, string] => {
    const profile: unknown = JSON.parse(readFileSync(`${folder}/profiles/${name}.json`, "utf8"));
    return [`documents/profiles/${name}.json`, `${JSON.stringify(profile)}\n`];
  });
  const keywords = `${JSON.stringify(subset())}\n`;
  return Object.fromEntries([...schemas, ...profiles, ["documents/keywords.json", keywords]]);
}

/** The module of the events' schemas by type, each in one piece: for generators of events. */
export function eventSchemasModule(
  rows: readonly EventRow[],
  files: readonly SchemaFile[],
): string {
  return [
    BANNER,
    "",
    "/** The schema of each event of the standard profile, by its type, without references. */",
    "export const eventSchemas: Readonly<Record<string, object>> = {",
    ...rows.map(({ type, file }) => `  "${type}": ${JSON.stringify(inOnePiece(file, files))},`),
    "};",
    "",
  ].join("\n");
}

/** A schema with the schemas that it refers to in place of the references, and without descriptions. */
function inOnePiece(file: SchemaFile, files: readonly SchemaFile[]): Schema {
  return mapSchema(file.schema, (part) => {
    const { $ref: ref, $schema: _, $id: _id, title: _title, description: _text, ...rest } = part;
    const { "x-invalid": _refused, ...kept } = rest;
    if (typeof ref !== "string") return kept;
    const target = files.find(({ id }) => id === new URL(ref, file.id).href);
    if (target === undefined) throw new Error(`${file.path}: ${ref} leads nowhere`);
    const { examples: _examples, ...inner } = inOnePiece(target, files);
    return inner;
  });
}
