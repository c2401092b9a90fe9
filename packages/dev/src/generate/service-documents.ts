import { readFileSync } from "node:fs";
import { asyncApiOf } from "../../../service/src/documents/asyncapi.ts";
import { openApiOf } from "../../../service/src/documents/openapi.ts";
import { errorsPage } from "./errors-page.ts";
import type { SchemaFile } from "./load.ts";
import { profilePage } from "./profile-page.ts";
import { openApiSchemas, openApiSchemasModule } from "./openapi-schemas.ts";

type Profile = Parameters<typeof openApiOf>[0];

/**
 * The service's OpenAPI and AsyncAPI documents of each built-in profile, the schemas that it makes those
 * of any other profile from, and the pages of its codes and of profiles: by their paths.
 */
export function serviceDocuments(
  folder: string,
  files: readonly SchemaFile[],
): Readonly<Record<string, string>> {
  // A profile is judged by its own schema where it is used; a union of events is no one event's.
  const used = files.filter(({ title }) => !["Profile", "WebhookEvent"].includes(title));
  const schemas = openApiSchemas(used);
  const read = (name: string): Profile =>
    // A built-in profile, which the tests of schemas/ hold against its schema.
    JSON.parse(readFileSync(`${folder}/profiles/${name}.json`, "utf8")) as Profile;
  const profiles = { standard: read("standard"), "x-signature": read("x-signature") };
  const documents = Object.entries(profiles).flatMap(([name, profile]) => [
    [`packages/service/generated/${name}/openapi.json`, print(openApiOf(profile, schemas))],
    [`packages/service/generated/${name}/asyncapi.json`, print(asyncApiOf(profile, schemas))],
  ]);
  const records = Object.fromEntries(
    Object.entries(profiles).map(([name, profile]) => [name, { ...profile }]),
  );
  const schema = files.find(({ title }) => title === "Profile")?.schema ?? {};
  return {
    "packages/service/src/documents/generated/schemas.ts": openApiSchemasModule(schemas),
    "packages/service/docs/errors.md": errorsPage(profiles.standard),
    "packages/service/docs/profile.md": profilePage({ schema, profiles: records }),
    // Pairs of a path and a text.
    ...(Object.fromEntries(documents) as Record<string, string>),
  };
}

function print(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
