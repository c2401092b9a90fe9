import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isHttpUrl, isTimestamp } from "@countersign/schemas";
import type { LocatedSchema, SchemaSet } from "../src/derive/schema.ts";
import { schemaSet, standardSchemas } from "../src/derive/schema.ts";

export const standard: SchemaSet = standardSchemas();

/** A schema that is its own document. */
export const alone = (schema: object): LocatedSchema =>
  schemaSet({ "one.schema.json": schema }).document("one.schema.json");

/** An independent judge of the published documents, as they are in their files; multipleOf included. */
const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: { "date-time": isTimestamp, uri: isHttpUrl },
  multipleOfPrecision: 6,
});
const folder = new URL("../../../schemas/", import.meta.url);
const ids = new Map(
  standard.paths.map((path) => {
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
