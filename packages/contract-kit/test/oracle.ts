import { Ajv2020 } from "ajv/dist/2020.js";
import { isHttpUrl, isTimestamp } from "@countersign/schemas";
import type { LocatedSchema, SchemaSet } from "../src/derive/schema.ts";
import { schemaSet, standardSchemas } from "../src/derive/schema.ts";

export const standard: SchemaSet = standardSchemas();

/** A schema that is its own document. */
export const alone = (schema: object): LocatedSchema =>
  schemaSet({ "one.schema.json": schema }).document("one.schema.json");

/** An independent judge of the published documents, multipleOf included. */
const ajv = new Ajv2020({
  strict: true,
  strictTypes: false,
  allErrors: true,
  formats: { "date-time": isTimestamp, uri: isHttpUrl },
  multipleOfPrecision: 6,
});
for (const keyword of ["x-open", "x-invalid", "discriminator"]) ajv.addKeyword(keyword);
for (const path of standard.paths) ajv.addSchema(standard.document(path).schema);

/** Keywords by which Ajv refuses a value, with the places of the value. */
export function refusals(located: LocatedSchema, value: unknown): readonly string[] {
  const { $id: id = "" } = located.schema;
  if (ajv.validate(id, value)) return [];
  return (ajv.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
}
