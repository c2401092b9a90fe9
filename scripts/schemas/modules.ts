import { BANNER, mapSchema, readJson, type Schema, type SchemaFile } from "./load.ts";

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
export function eventRows(files: readonly SchemaFile[]): readonly EventRow[] {
  const profile = readJson("schemas/profiles/standard.json") as Profile;
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

/** The module of the schemas as validators and generators of events use them: a constant each. */
export function schemasModule(files: readonly SchemaFile[]): string {
  const printed = new Set<SchemaFile>();
  const constants: string[] = [];
  // A constant stands below those that it refers to.
  const print = (file: SchemaFile): void => {
    if (printed.has(file)) return;
    printed.add(file);
    const schema = mapSchema(file.schema, (part) => {
      const { $ref: ref } = part;
      if (typeof ref !== "string") return judgedPart(part);
      const target = files.find(({ id }) => id === new URL(ref, file.id).href);
      if (target === undefined) throw new Error(`${file.path}: ${ref} leads nowhere`);
      print(target);
      return { $ref: target.title };
    });
    const text = JSON.stringify(schema, null, 2).replaceAll(/\{\s*"\$ref": "(\w+)"\s*\}/g, "$1");
    constants.push(`export const ${file.title}: JudgedSchema = ${text};`);
  };
  for (const file of files) print(file);
  return [BANNER, 'import type { JudgedSchema } from "../judge.ts";', "", ...constants, ""].join(
    "\n",
  );
}

/** A schema without what explains it; an open list of values by its own name. */
function judgedPart(schema: Schema): Schema {
  const { $schema: _, $id: _id, title: _title, description: _text, ...rest } = schema;
  const {
    "x-invalid": _invalid,
    deprecated: _old,
    "x-open": isOpen,
    enum: values,
    ...judged
  } = rest;
  if (values === undefined) return judged;
  return { ...judged, [isOpen === true ? "openEnum" : "enum"]: values };
}

/** A module with a `validate…` of each schema, the writer's or the reader's, and of any of some events. */
export function validatorsModule(
  side: "writer" | "reader",
  files: readonly SchemaFile[],
  rows: readonly EventRow[] = [],
): string {
  const titles = files.map(({ title }) => title);
  const hasRows = rows.length > 0;
  return [
    BANNER,
    'import * as schemas from "./schemas.ts";',
    `import type { ${[...titles, ...(hasRows ? ["WebhookEvent"] : [])].join(", ")} } from "./types.ts";`,
    `import { ${hasRows ? "byTag, " : ""}${side}, type Validator } from "../validator.ts";`,
    "",
    ...titles.map(
      (title) =>
        `export const validate${title}: Validator<${title}> = /* @__PURE__ */ ${side}(schemas.${title});`,
    ),
    ...(hasRows
      ? [
          "/** Judges an event of any type of the standard profile. */",
          'export const validateEvent: Validator<WebhookEvent> = /* @__PURE__ */ byTag<WebhookEvent>("type", {',
          ...rows.map(({ type, title }) => `  ${JSON.stringify(type)}: validate${title},`),
          "});",
        ]
      : []),
    "",
  ].join("\n");
}

/** The module of the built-in profiles. */
export function profilesModule(names: readonly string[]): string {
  const entries = names.map((name) => {
    const { $schema: _, ...profile } = readJson(`schemas/profiles/${name}.json`) as Readonly<
      Record<string, unknown>
    >;
    return `  ${JSON.stringify(name)}: ${JSON.stringify(profile, null, 2).replaceAll("\n", "\n  ")},`;
  });
  return [
    BANNER,
    'import { freeze } from "../freeze.ts";',
    'import type { Profile } from "./types.ts";',
    "",
    'export type { Profile } from "./types.ts";',
    "",
    "/** The built-in profiles, frozen. */",
    `export const profiles: { ${names.map((name) => `readonly ${JSON.stringify(name)}: Profile`).join("; ")} } = freeze({`,
    ...entries,
    "});",
    "",
  ].join("\n");
}
