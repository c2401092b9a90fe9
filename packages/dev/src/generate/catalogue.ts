import { readFileSync } from "node:fs";
import { BANNER, type Schema, type SchemaFile } from "./load.ts";

/** A row of the standard profile's catalogue, joined with its schema. */
export interface EventRow {
  readonly type: string;
  readonly category: string;
  readonly resource: string;
  readonly rank?: number;
  /** The title of its schema: the name of its type. */
  readonly title: string;
  readonly file: SchemaFile;
  /** JSON Pointers of the amounts in the event. */
  readonly amounts: readonly string[];
}

interface Profile {
  readonly catalogue: readonly Omit<EventRow, "title" | "file" | "amounts">[];
}

/**
 * The events of the standard profile, in its order.
 *
 * @throws {Error} a row without a schema, a schema without a row, or one whose category differs.
 */
export function eventRows(folder: string, files: readonly SchemaFile[]): readonly EventRow[] {
  const profile = JSON.parse(readFileSync(`${folder}/profiles/standard.json`, "utf8")) as Profile;
  const rows = profile.catalogue.map((row): EventRow => {
    const file = files.find(({ path }) => path === `events/${row.type}.schema.json`);
    if (file === undefined) throw new Error(`the event ${row.type} has no schema`);
    const category = constOf(file.schema, "category");
    if (category !== row.category || constOf(file.schema, "type") !== row.type)
      throw new Error(`${file.path} is not of ${row.type} in ${row.category}`);
    return {
      type: row.type,
      category: row.category,
      resource: row.resource,
      ...(row.rank === undefined ? {} : { rank: row.rank }),
      title: file.title,
      file,
      amounts: amountsIn(file, file.schema, "", files),
    };
  });
  const events = files.filter(({ path }) => /^events\/\w+\.\w+\.schema\.json$/.test(path));
  if (events.length !== rows.length) throw new Error("an event's schema is not in the catalogue");
  return rows;
}

function constOf(schema: Schema, member: string): unknown {
  const { properties } = schema as { properties?: Record<string, Schema> };
  return properties?.[member]?.["const"];
}

/** Finds the references to the amount, so that no event's amounts are forgotten. */
function amountsIn(
  file: SchemaFile,
  schema: Schema,
  at: string,
  files: readonly SchemaFile[],
): readonly string[] {
  const { properties = {} } = schema as { properties?: Record<string, Schema> };
  return Object.entries(properties).flatMap(([name, child]) => {
    const { $ref: ref } = child;
    if (typeof ref !== "string") return amountsIn(file, child, `${at}/${name}`, files);
    const target = files.find(({ id }) => id === new URL(ref, file.id).href);
    if (target === undefined) return [];
    if (target.path === "resources/amount.schema.json") return [`${at}/${name}/value`];
    return amountsIn(target, target.schema, `${at}/${name}`, files);
  });
}

/** The module of the standard catalogue: a row an event, with its reader's validator. */
export function catalogueModule(rows: readonly EventRow[]): string {
  return [
    BANNER,
    'import type { Catalogue } from "../catalogue.ts";',
    'import { reader } from "../validator.ts";',
    'import * as schemas from "./schemas.ts";',
    'import type { EventTypeMap } from "./types.ts";',
    "",
    "/** The events of the standard profile. */",
    "export const standardCatalogue: Catalogue<EventTypeMap> = {",
    '  name: "standard",',
    "  events: {",
    ...rows.flatMap(({ type, category, resource, rank, amounts, title }) => [
      `    ${JSON.stringify(type)}: {`,
      `      category: ${JSON.stringify(category)},`,
      `      validate: reader(schemas.${title}),`,
      `      amounts: ${JSON.stringify(amounts)},`,
      `      resource: ${JSON.stringify(resource)},`,
      ...(rank === undefined ? [] : [`      rank: ${String(rank)},`]),
      "    },",
    ]),
    "  },",
    "};",
    "",
  ].join("\n");
}

/** The module of the events' schemas by type: for generators of events. */
export function eventSchemasModule(rows: readonly EventRow[]): string {
  return [
    BANNER,
    'import type { JudgedSchema } from "../judge.ts";',
    'import * as schemas from "./schemas.ts";',
    "",
    'export type { JudgedSchema } from "../judge.ts";',
    "",
    "/** The schemas of the standard profile's events, by type. */",
    "export const eventSchemas: Readonly<Record<string, JudgedSchema>> = {",
    ...rows.map(({ type, title }) => `  ${JSON.stringify(type)}: schemas.${title},`),
    "};",
    "",
  ].join("\n");
}
