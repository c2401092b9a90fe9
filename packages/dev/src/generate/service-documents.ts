import { asyncApiOf } from "../../../service/src/documents/asyncapi.ts";
import { openApiOf } from "../../../service/src/documents/openapi.ts";
import { eventsPage, httpPage, type OpenApi } from "./interface-pages.ts";
import { codesPage } from "./codes-page.ts";
import { BANNER, mapSchema, readJson, type Schema, type SchemaFile } from "./load.ts";
import type { EventRow } from "./modules.ts";
import { profilePage } from "./profile-page.ts";

type Profile = Parameters<typeof openApiOf>[0];

/**
 * Returns, by path, the service's OpenAPI and AsyncAPI documents of each built-in profile, the schemas
 * from which it makes those of other profiles, and the pages of its calls, events, codes and profiles.
 */
export function serviceDocuments(
  files: readonly SchemaFile[],
  rows: readonly EventRow[],
): Readonly<Record<string, string>> {
  // The documents describe neither profiles nor the union of all events.
  const used = files.filter(({ title }) => !["Profile", "WebhookEvent"].includes(title));
  const schemas = openApiSchemas(used);
  const read = (name: string): Profile => readJson(`schemas/profiles/${name}.json`) as Profile;
  const profiles = { standard: read("standard"), "x-signature": read("x-signature") };
  const documents = Object.entries(profiles).flatMap(([name, profile]) =>
    (["writer", "reader"] as const).flatMap((side) => {
      const place = `packages/service/generated/${name}/${side === "reader" ? "reader/" : ""}`;
      return [
        [`${place}openapi.json`, print(openApiOf(profile, schemas, side))] as const,
        [`${place}asyncapi.json`, print(asyncApiOf(profile, schemas, side))] as const,
      ];
    }),
  );
  // The pages read the part of OpenAPI that this document has; tests validate it as a whole.
  const document = openApiOf(profiles.standard, schemas) as OpenApi;
  const schema = files.find(({ title }) => title === "Profile")?.schema ?? {};
  return {
    ...Object.fromEntries(documents),
    "packages/service/src/documents/generated/schemas.ts": openApiSchemasModule(schemas),
    "docs/reference/codes.md": codesPage(profiles.standard),
    "docs/reference/events.md": eventsPage(rows, document),
    "docs/reference/http.md": httpPage(document),
    "docs/reference/profile.md": profilePage(schema, profiles),
  };
}

function print(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The module of the schemas as the documents contain them. */
function openApiSchemasModule(schemas: Readonly<Record<string, Schema>>): string {
  return [
    BANNER,
    'import type { Schemas } from "../profiled-schemas.ts";',
    "",
    "/** The schemas by their titles. */",
    `export const schemas: Schemas = ${JSON.stringify(schemas, null, 2)};`,
    "",
  ].join("\n");
}

/**
 * Returns the schemas as OpenAPI's and AsyncAPI's documents contain them: by title, also each kind of a
 * union, with references of those documents.
 *
 * `multipleOf` is left out, as in the validators: in binary fractions 1.13 is not a multiple of 0.01, and
 * every tool that reads the documents would reject it.
 */
function openApiSchemas(files: readonly SchemaFile[]): Record<string, Schema> {
  const schemas: Record<string, Schema> = {};
  for (const file of files)
    schemas[file.title] = mapSchema(file.schema, (part) => {
      const { $schema: _, $id: _id, "x-invalid": _invalid, multipleOf: _of, ...rest } = part;
      const { $ref: ref, oneOf: kinds = [], discriminator } = rest as Parts;
      for (const kind of kinds) schemas[titleOf(kind, file)] = kind;
      const target = files.find(({ id }) => id === new URL(ref ?? "", file.id).href);
      return {
        ...rest,
        ...(ref !== undefined && { $ref: refTo(target?.title ?? titleOf({}, file)) }),
        ...(kinds.length > 0 && {
          oneOf: kinds.map((kind) => ({ $ref: refTo(titleOf(kind, file)) })),
        }),
        ...(discriminator && {
          discriminator: { ...discriminator, mapping: mappingOf(kinds, discriminator) },
        }),
      };
    });
  return schemas;
}

interface Parts {
  readonly $ref?: string;
  readonly oneOf?: readonly Schema[];
  readonly discriminator?: { readonly propertyName: string };
}

const refTo = (title: string): string => `#/components/schemas/${title}`;

function titleOf({ title }: Schema, { path }: SchemaFile): string {
  if (typeof title !== "string") throw new Error(`${path}: a kind or a reference has no title`);
  return title;
}

/** Maps the values of the tag to the kinds. */
function mappingOf(
  kinds: readonly Schema[],
  { propertyName }: { readonly propertyName: string },
): Record<string, string> {
  return Object.fromEntries(
    kinds.flatMap(({ title, properties }) => {
      const tags = properties as Record<string, { const?: string; enum?: string[] } | undefined>;
      const { const: only, enum: values = [only] } = tags[propertyName] ?? {};
      return values.map((value) => [String(value), refTo(String(title))] as const);
    }),
  );
}
