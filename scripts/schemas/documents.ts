// Prints schemas as OpenAPI and each side need them: no library knows our open enums, hints and two sides.
import { globSync } from "node:fs";
import { isRead, schemaFor } from "../../packages/service/src/documents/sides.ts";
import {
  BANNER,
  mapSchema,
  readJson,
  root,
  type Schema,
  type SchemaFile,
  targetOf,
  valuesOf,
} from "./load.ts";

/** Prints the module of the schemas as OpenAPI's and AsyncAPI's documents contain them. */
export const openApiSchemasModule = (schemas: Readonly<Record<string, Schema>>): string =>
  `${BANNER}
import type { Schemas } from "../profiled-schemas.ts";

/** The schemas by their titles. */
export const schemas: Schemas = ${JSON.stringify(schemas, null, 2)};
`;

/**
 * Returns the schemas as those documents contain them: by title, also each kind of a union, with references of those
 * documents.
 *
 * `multipleOf` is left out, as in the validators: in binary fractions 1.13 is not a multiple of 0.01, and
 * every tool that reads the documents would reject it.
 */
export function openApiSchemas(files: readonly SchemaFile[]): Record<string, Schema> {
  const schemas: Record<string, Schema> = {};
  for (const file of files)
    schemas[file.title] = mapSchema(file.schema, (part) => {
      const { $schema: _, $id: _id, "x-invalid": _invalid, multipleOf: _of, ...rest } = part;
      const { $ref: ref, oneOf: kinds = [], discriminator } = rest;
      for (const kind of kinds) schemas[titleOf(kind)] = kind;
      return {
        ...rest,
        ...(ref !== undefined && { $ref: refTo(targetOf(ref, file.id, files).title) }),
        ...(kinds.length > 0 && { oneOf: kinds.map((kind) => ({ $ref: refTo(titleOf(kind)) })) }),
        ...(discriminator && {
          discriminator: {
            ...discriminator,
            mapping: mappingOf(kinds, discriminator.propertyName),
          },
        }),
      };
    });
  return schemas;
}

const refTo = (title: string): string => `#/components/schemas/${title}`;

function titleOf({ title }: Schema): string {
  if (typeof title !== "string") throw new Error("a kind of a union has no title");
  return title;
}

/** Maps the values of the tag to the kinds. */
const mappingOf = (kinds: readonly Schema[], tag: string): Record<string, string> =>
  Object.fromEntries(
    kinds.flatMap((kind) =>
      valuesOf(kind.properties?.[tag]).map((value) => [String(value), refTo(titleOf(kind))]),
    ),
  );

/**
 * Returns schemas, profiles and providers as they are shipped, without spaces: the schemas closed in `documents/`, and
 * open in `reader/` if partners read what they describe. The values that schemas refuse are for tests, and left out.
 */
export function shippedDocuments(files: readonly SchemaFile[]): Record<string, string> {
  const print = (document: unknown): string => `${JSON.stringify(document)}\n`;
  const documents: Record<string, string> = {};
  for (const { path, title, id, schema } of files) {
    const shipped = mapSchema(schema, ({ "x-invalid": _refused, ...rest }) => rest);
    documents[`schemas/documents/${path}`] = print(schemaFor("writer", shipped));
    if (!isRead(title) || title === "Profile") continue;
    const open = schemaFor("reader", shipped);
    const $id = id.replace("/schemas/", "/schemas/reader/");
    documents[`schemas/reader/${path}`] = print({ ...open, $id });
  }
  for (const path of globSync("{profiles/!(*.schema),providers/*}.json", { cwd: `${root}schemas` }))
    documents[`schemas/documents/${path}`] = print(readJson(`schemas/${path}`));
  return documents;
}
