import { readFileSync } from "node:fs";
import { mapSchema, subset } from "./keywords.ts";
import type { SchemaFile } from "./load.ts";

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
