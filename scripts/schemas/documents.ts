import { isRead, schemaFor } from "../../packages/service/src/documents/sides.ts";
import { subset } from "./keywords.ts";
import { BANNER, mapSchema, readJson, type Schema, type SchemaFile } from "./load.ts";

/** The module of the schemas as the documents contain them. */
export function openApiSchemasModule(schemas: Readonly<Record<string, Schema>>): string {
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
export function openApiSchemas(files: readonly SchemaFile[]): Record<string, Schema> {
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

/**
 * The schemas and the profiles as they are shipped, without spaces: the schemas closed in `documents/`, and
 * open in `reader/` if partners read what they describe; and the keywords that they are written in. The
 * values that schemas refuse are for tests, and left out.
 */
export function shippedDocuments(files: readonly SchemaFile[]): Record<string, string> {
  const text = (document: unknown): string => `${JSON.stringify(document)}\n`;
  const schemas = files.flatMap(({ path, title, id, schema }): [string, string][] => {
    const shipped = mapSchema(schema, ({ "x-invalid": _refused, ...rest }) => rest);
    // Validators have no formats of their own: an unknown one is an error.
    const closed = text(schemaFor("writer", shipped, ["format"]));
    if (!isRead(title) || title === "Profile") return [[`schemas/documents/${path}`, closed]];
    const open = {
      ...schemaFor("reader", shipped, ["format"]),
      $id: id.replace("/schemas/", "/schemas/reader/"),
    };
    return [
      [`schemas/documents/${path}`, closed],
      [`schemas/reader/${path}`, text(open)],
    ];
  });
  const profiles = ["standard", "x-signature"].map((name): [string, string] => [
    `schemas/documents/profiles/${name}.json`,
    text(readJson(`schemas/profiles/${name}.json`)),
  ]);
  const keywords: [string, string] = ["schemas/documents/keywords.json", text(subset())];
  return Object.fromEntries([...schemas, ...profiles, keywords]);
}
