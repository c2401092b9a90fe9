import { BANNER, type Schema, type SchemaFile } from "./load.ts";

/** The module of the schemas as OpenAPI's and AsyncAPI's documents hold them. */
export function openApiSchemasModule(schemas: Readonly<Record<string, Schema>>): string {
  return [
    BANNER,
    'import type { Schemas } from "../schema.ts";',
    "",
    "/** The schemas by their titles. */",
    `export const schemas: Schemas = ${JSON.stringify(schemas, null, 2)};`,
    "",
  ].join("\n");
}

/**
 * The schemas as OpenAPI's and AsyncAPI's documents hold them: by their titles, each kind of a union
 * too, with references of those documents.
 *
 * `multipleOf` is left out, as the validators leave it out: in binary fractions 1.13 is no multiple of
 * 0.01, and every tool that reads the documents would refuse it.
 */
export function openApiSchemas(files: readonly SchemaFile[]): Record<string, Schema> {
  const titles = new Map(files.map(({ id, title }) => [id, title]));
  const schemas: Record<string, Schema> = {};
  for (const file of files) {
    const convert = (schema: Schema): Schema => {
      const { $schema: _, $id: _id, "x-invalid": _invalid, multipleOf: _of, ...rest } = schema;
      const { $ref: ref, properties, items, oneOf, discriminator } = rest as Parts;
      return {
        ...rest,
        ...(ref !== undefined && { $ref: refTo(titles.get(new URL(ref, file.id).href)) }),
        ...(properties && {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, child]) => [name, convert(child)]),
          ),
        }),
        ...(items && { items: convert(items) }),
        ...(oneOf && { oneOf: oneOf.map(lift) }),
        ...(discriminator && {
          discriminator: { ...discriminator, mapping: mappingOf(oneOf ?? [], discriminator) },
        }),
      };
    };
    const lift = (kind: Schema): Schema => {
      const { title } = kind;
      if (typeof title !== "string") throw new Error(`${file.path}: a kind has no title`);
      schemas[title] = convert(kind);
      return { $ref: refTo(title) };
    };
    schemas[file.title] = convert(file.schema);
  }
  return schemas;
}

interface Parts {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly discriminator?: { readonly propertyName: string };
}

function refTo(title: string | undefined): string {
  if (title === undefined) throw new Error("a reference leads nowhere");
  return `#/components/schemas/${title}`;
}

/** Which values of the tag name which kind. */
function mappingOf(
  kinds: readonly Schema[],
  { propertyName }: { readonly propertyName: string },
): Record<string, string> {
  return Object.fromEntries(
    kinds.flatMap((kind) => {
      const tag = (kind as Parts).properties?.[propertyName] as
        | { readonly const?: string; readonly enum?: readonly string[] }
        | undefined;
      const values = tag?.enum ?? (tag?.const === undefined ? [] : [tag.const]);
      return values.map((value) => [value, refTo(String(kind["title"]))]);
    }),
  );
}
