import { readFileSync } from "node:fs";
import { asyncApiOf } from "../../../service/src/documents/asyncapi.ts";
import { openApiOf } from "../../../service/src/documents/openapi.ts";
import type { SchemaFile } from "./load.ts";
import { openApiSchemas, openApiSchemasModule } from "./openapi-schemas.ts";

type Profile = Parameters<typeof openApiOf>[0];

/**
 * The service's OpenAPI and AsyncAPI documents of each built-in profile, and the schemas that it makes
 * those of any other profile from: by their paths.
 */
export function serviceDocuments(
  folder: string,
  files: readonly SchemaFile[],
): Readonly<Record<string, string>> {
  // A profile is judged by its own schema where it is used; a union of events is no one event's.
  const used = files.filter(({ title }) => !["Profile", "WebhookEvent"].includes(title));
  const schemas = openApiSchemas(used);
  const documents = ["standard", "x-signature"].flatMap((name) => {
    // A built-in profile, which the tests of schemas/ hold against its schema.
    const profile = JSON.parse(readFileSync(`${folder}/profiles/${name}.json`, "utf8")) as Profile;
    return [
      [`packages/service/generated/${name}/openapi.json`, print(openApiOf(profile, schemas))],
      [`packages/service/generated/${name}/asyncapi.json`, print(asyncApiOf(profile, schemas))],
    ] as const;
  });
  return {
    "packages/service/src/documents/generated/schemas.ts": openApiSchemasModule(schemas),
    ...Object.fromEntries(documents),
  };
}

function print(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
