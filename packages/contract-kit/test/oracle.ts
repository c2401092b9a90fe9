import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isHttpUrl, isTimestamp } from "@countersign/schemas";
import { type LocatedSchema, schemaNamed, standardSchemas } from "../src/derive/schema.ts";
import { folderDocument } from "../src/documents/read-document.ts";
import { filesInMemory } from "../src/documents/source-files.ts";

export const standard = (name: string): LocatedSchema => schemaNamed(standardSchemas(), name);

/** The names of the schemas that have their own files, and the files. */
export const standardFiles: readonly (readonly [name: string, path: string])[] = [
  ...standardSchemas().places,
].flatMap(([name, place]) => (place.endsWith("#") ? [[name, place.slice(0, -1)] as const] : []));

/** A schema that is its own document. */
export const alone = (schema: object): LocatedSchema => among({ "one.schema.json": schema }, "one");

/** One of several schemas that refer to each other. */
export const among = (files: Readonly<Record<string, unknown>>, name: string): LocatedSchema =>
  schemaNamed(folderDocument("", filesInMemory(files)), name);

/** An independent judge of the published documents, as they are in their files; multipleOf included. */
const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: { "date-time": isTimestamp, uri: isHttpUrl },
  multipleOfPrecision: 6,
});
const folder = new URL("../../../schemas/", import.meta.url);
const ids = new Map(
  standardFiles.map(([, path]) => {
    const document = JSON.parse(readFileSync(new URL(path, folder), "utf8")) as { $id: string };
    ajv.addSchema(document);
    return [path, document.$id];
  }),
);

/** Keywords by which Ajv refuses a value, with the places of the value. */
export function refusals(located: LocatedSchema, value: unknown): readonly string[] {
  const [path = ""] = located.place.split("#");
  if (ajv.validate(ids.get(path) ?? "", value)) return [];
  return (ajv.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
}
