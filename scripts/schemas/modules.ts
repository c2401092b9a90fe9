import {
  BANNER,
  mapSchema,
  type Parts,
  readJson,
  type Schema,
  type SchemaFile,
  targetOf,
} from "./load.ts";

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

/**
 * Returns the events of the standard profile, in its order.
 *
 * @throws {Error} A row has no schema, a schema no row, or they differ.
 */
export function eventRows(files: readonly SchemaFile[]): readonly EventRow[] {
  const { catalogue } = readJson("schemas/profiles/standard.json") as {
    readonly catalogue: readonly Omit<EventRow, "title" | "file" | "amounts">[];
  };
  const rows = catalogue.map(({ type, category, resource, rank }): EventRow => {
    const file = files.find(({ path }) => path === `events/${type}.schema.json`);
    if (file === undefined) throw new Error(`the event ${type} has no schema`);
    const { properties = {} } = file.schema as Parts;
    if (properties["category"]?.["const"] !== category || properties["type"]?.["const"] !== type)
      throw new Error(`${file.path} is not of ${type} in ${category}`);
    const amounts = amountsIn(file, file.schema, "", files);
    const ranked = rank === undefined ? {} : { rank };
    return { type, category, resource, ...ranked, title: file.title, file, amounts };
  });
  const events = files.filter(({ path }) => /^events\/\w+\.\w+\.schema\.json$/.test(path));
  if (events.length !== rows.length) throw new Error("an event's schema is not in the catalogue");
  return rows;
}

/** Finds the references to the amount, so that no event's amounts are forgotten. */
function amountsIn(
  file: SchemaFile,
  schema: Schema,
  at: string,
  files: readonly SchemaFile[],
): readonly string[] {
  return Object.entries((schema as Parts).properties ?? {}).flatMap(([name, child]) => {
    const { $ref: ref } = child as Parts;
    const target = ref === undefined ? { ...file, schema: child } : targetOf(ref, file.id, files);
    return target.path === "resources/amount.schema.json"
      ? [`${at}/${name}/value`]
      : amountsIn(target, target.schema, `${at}/${name}`, files);
  });
}

const text = JSON.stringify;
const print = (...lines: readonly string[]): string => `${[BANNER, ...lines].join("\n")}\n`;

/** Prints the module of the standard catalogue: a row an event, with its reader's validator. */
export const catalogueModule = (rows: readonly EventRow[]): string =>
  print(
    'import type { Catalogue } from "../catalogue.ts";',
    'import { reader } from "../validator.ts";',
    'import * as schemas from "./schemas.ts";',
    'import type { EventTypeMap } from "./types.ts";',
    "",
    "/** The events of the standard profile. */",
    'export const standardCatalogue: Catalogue<EventTypeMap> = { name: "standard", events: {',
    ...rows.map(
      ({ type, category, resource, rank, amounts, title }) =>
        `  ${text(type)}: { validate: reader(schemas.${title}), ${text({ category, amounts, resource, rank }).slice(1)},`,
    ),
    "} };",
  );

/** Prints the module of the events' schemas by type: for generators of events. */
export const eventSchemasModule = (rows: readonly EventRow[]): string =>
  print(
    'import type { JudgedSchema } from "../judge.ts";',
    'import * as schemas from "./schemas.ts";',
    "",
    'export type { JudgedSchema } from "../judge.ts";',
    "",
    "/** The schemas of the standard profile's events, by type. */",
    "export const eventSchemas: Readonly<Record<string, JudgedSchema>> = {",
    ...rows.map(({ type, title }) => `  ${text(type)}: schemas.${title},`),
    "};",
  );

/** Prints the module of the schemas as validators and generators of events use them: a constant each. */
export function schemasModule(files: readonly SchemaFile[]): string {
  const constants = new Map<string, string>();
  // A constant stands below those that it refers to.
  const add = (file: SchemaFile): void => {
    if (constants.has(file.title)) return;
    const schema = mapSchema(file.schema, (part) => {
      const { $ref: ref } = part as Parts;
      if (ref === undefined) return judgedPart(part);
      const target = targetOf(ref, file.id, files);
      add(target);
      return { $ref: target.title };
    });
    const code = text(schema, null, 2).replaceAll(/\{\s*"\$ref": "(\w+)"\s*\}/g, "$1");
    constants.set(file.title, `export const ${file.title}: JudgedSchema = ${code};`);
  };
  for (const file of files) add(file);
  return print('import type { JudgedSchema } from "../judge.ts";', "", ...constants.values());
}

/** A schema without what explains it; an open list of values by its own name. */
function judgedPart(schema: Schema): Schema {
  const { $schema: _, $id: _id, title: _title, description: _text, ...rest } = schema;
  const { "x-invalid": _bad, deprecated: _old, "x-open": isOpen, enum: values, ...judged } = rest;
  if (values === undefined) return judged;
  return { ...judged, [isOpen === true ? "openEnum" : "enum"]: values };
}

/** Prints a module with a `validate…` of each schema, the writer's or the reader's, and of any of some events. */
export function validatorsModule(
  side: "writer" | "reader",
  files: readonly SchemaFile[],
  rows: readonly EventRow[] = [],
): string {
  const titles = files.map(({ title }) => title);
  const hasRows = rows.length > 0;
  return print(
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
          ...rows.map(({ type, title }) => `  ${text(type)}: validate${title},`),
          "});",
        ]
      : []),
  );
}

/** Prints the module of the built-in profiles. */
export function profilesModule(names: readonly string[]): string {
  const entries = names.map((name) => {
    const { $schema: _, ...profile } = readJson(`schemas/profiles/${name}.json`) as Schema;
    return `  ${text(name)}: ${text(profile)},`;
  });
  const type = names.map((name) => `readonly ${text(name)}: Profile`).join("; ");
  return print(
    'import { freeze } from "../freeze.ts";',
    'import type { Profile } from "./types.ts";',
    "",
    'export type { Profile } from "./types.ts";',
    "",
    "/** The built-in profiles, frozen. */",
    `export const profiles: { ${type} } = freeze({`,
    ...entries,
    "});",
  );
}
