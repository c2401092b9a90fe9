// Prints types: json-schema-to-typescript knows neither our open enums nor narrowed references and lookups.
import { compile, type JSONSchema } from "json-schema-to-typescript";
import { readonly } from "../../packages/cli/src/types/typescript.ts";
import { BANNER, mapSchema, readJson, type Schema, type SchemaFile, targetOf } from "./load.ts";
import type { EventRow } from "./modules.ts";

/** The types of every schema: readonly, with their documentation, and the lookups of events. */
export async function typesOf(
  files: readonly SchemaFile[],
  rows: readonly EventRow[],
): Promise<string> {
  const resolved = new Map(files.map((file) => [file.id, forTypes(file, files)]));
  // One root that names them all, so that each is printed once; it is cut out again below.
  const root = {
    title: "EveryType",
    type: "object" as const,
    additionalProperties: false,
    required: files.map(({ title }) => title),
    properties: Object.fromEntries(files.map(({ title, id }) => [title, { $ref: id }])),
  };
  const text = await compile(root, "EveryType", {
    bannerComment: `${BANNER}\nimport type { ProviderDocument } from "./provider-types.ts";`,
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
    $refOptions: {
      resolve: {
        http: false,
        file: false,
        ours: {
          order: 1,
          canRead: (target: { url: string }) => resolved.has(target.url),
          read: (target: { url: string }) => JSON.stringify(resolved.get(target.url)),
        },
      },
    },
  });
  const withoutRoot = text.replace(/export interface EveryType \{[\s\S]*?\n\}\n?/, "");
  return [readonly(withoutRoot).trimEnd(), lookups(rows), ""].join("\n");
}

/** Prints the types of a provider's document. */
export async function providerTypes(): Promise<string> {
  const schema = readJson("schemas/providers/provider.schema.json");
  // A description next to a reference would make another type of each.
  const text = JSON.stringify(schema, (_, part: Schema) =>
    typeof part?.["$ref"] === "string" ? { $ref: part["$ref"] } : part,
  );
  const types = await compile(JSON.parse(text) as JSONSchema, "ProviderDocument", {
    bannerComment: BANNER,
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
  });
  return readonly(types);
}

/** A schema as the type printer reads it best. */
function forTypes(file: SchemaFile, files: readonly SchemaFile[]): Schema {
  return mapSchema(mapSchema(file.source, closedTags), (schema) => {
    const { "x-open": open, "x-invalid": _, examples: __, discriminator: ___, ...rest } = schema;
    const { $ref: ref, ...beside } = rest;
    if (ref !== undefined) {
      const target = targetOf(ref, file.id, files);
      // A description next to a $ref would replace the shared type's own; a text has no type to share.
      if (beside.properties !== undefined)
        return { tsType: `${target.title} & ${narrowedType(target.title, beside)}` };
      if (target.schema["type"] !== "string") return { $ref: target.id };
      return { type: "string", description: target.schema["description"], ...beside };
    }
    // Readers accept other values too; `string & {}` keeps the known ones in an editor's list.
    if (open === true)
      return {
        ...rest,
        tsType: [...(rest["enum"] as string[]).map(quoted), "(string & {})"].join(" | "),
      };
    // A profile's provider is a name or a document, whose types are in their own module.
    if ("anyOf" in rest)
      return { description: rest["description"], tsType: "string | ProviderDocument" };
    return rest;
  });
}

/** The members that a narrowed reference fixes, as a type. */
function narrowedType(of: string, { properties = {} }: Schema): string {
  const fixed = Object.entries(properties).map(([name, member]) => {
    const { const: value } = member;
    const type =
      typeof value === "string" ? quoted(value) : narrowedType(`${of}[${quoted(name)}]`, member);
    return `readonly ${name}: ${type}`;
  });
  return `{ ${fixed.join("; ")} }`;
}

/** The tag of a union stays closed in its type, or comparing it would narrow nothing. */
function closedTags(schema: Schema): Schema {
  const { discriminator, oneOf } = schema;
  const tag = discriminator?.propertyName;
  if (tag === undefined || oneOf === undefined) return schema;
  const closed = oneOf.map((kind) => {
    const { properties } = kind;
    // A reference.
    if (properties === undefined) return kind;
    const { "x-open": _, ...value } = properties[tag] ?? {};
    return { ...kind, properties: { ...properties, [tag]: value } };
  });
  return { ...schema, oneOf: closed };
}

const quoted = (text: string): string => JSON.stringify(text);

/** Maps from names to events: a look-up narrows at once where inference over the union would not. */
function lookups(rows: readonly EventRow[]): string {
  const categories = Object.entries(Object.groupBy(rows, ({ category }) => category));
  const union = (of: readonly EventRow[]): string => of.map(({ title }) => title).join(" | ");
  return [
    "/** The events by their types. */",
    "export type EventTypeMap = {",
    ...rows.map(({ type, title }) => `  readonly ${quoted(type)}: ${title};`),
    "};",
    "/** The events by their categories. */",
    "export type EventCategoryMap = {",
    ...categories.map(([category, own = []]) => `  readonly ${category}: ${union(own)};`),
    "};",
    "/** The name of an event. */",
    "export type EventType = keyof EventTypeMap;",
    "/** What a subscription by category selects on. */",
    "export type EventCategory = keyof EventCategoryMap;",
  ].join("\n");
}
