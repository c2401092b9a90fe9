import { compileStandalone, type Side } from "../../packages/cli/src/types/standalone.ts";
import {
  BANNER,
  mapSchema,
  type Parts,
  readJson,
  readText,
  type Schema,
  type SchemaFile,
  targetOf,
} from "./load.ts";

/** A row of the reference provider's catalogue, joined with its schema. */
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
 * Returns the events of the reference provider, in its order.
 *
 * @throws {Error} A row has no schema, a schema no row, or they differ.
 */
export function eventRows(files: readonly SchemaFile[]): readonly EventRow[] {
  const { catalogue } = readJson("schemas/providers/reference.json") as {
    readonly catalogue: readonly Omit<EventRow, "title" | "file" | "amounts">[];
  };
  const rows = catalogue.map(({ type, category, resource: place, rank }): EventRow => {
    const resource = place.replace(/^body:/, "");
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

/** The schemas by title; their references are titles. */
const byTitle = (files: readonly SchemaFile[]): Readonly<Record<string, Schema>> =>
  Object.fromEntries(
    files.map(({ title, id, schema }) => [
      title,
      mapSchema(schema, (part) =>
        typeof part["$ref"] === "string" ? { $ref: targetOf(part["$ref"], id, files).title } : part,
      ),
    ]),
  );

/** Prints the import of what compiled checks use. */
const helpersOf = (code: string, ...more: readonly string[]): string => {
  const used = ["isHttpUrl", "isTimestamp", "keepNearest", "lengthOf"].filter((name) =>
    code.includes(name),
  );
  return `import { ${[...used, ...more, "validator"].join(", ")} } from "../validation.ts";`;
};

/** Prints the module of the standard catalogue: a row an event, with its reader's validator. */
export function catalogueModule(files: readonly SchemaFile[], rows: readonly EventRow[]): string {
  const titles = rows.map(({ title }) => title);
  const { code, checkOf } = compileStandalone(byTitle(files), titles, "reader");
  return print(
    'import type { Catalogue } from "../catalogue.ts";',
    'import type { EventTypeMap } from "./types.ts";',
    helpersOf(code),
    "",
    "/** The events of the standard profile. */",
    'export const standardCatalogue: Catalogue<EventTypeMap> = { name: "standard", events: {',
    ...rows.map(
      ({ type, category, resource, rank, amounts, title }) =>
        `  ${text(type)}: { validate: /* @__PURE__ */ validator(${checkOf(title)}), ${text({ category, amounts, resource, rank }).slice(1)},`,
    ),
    "} };",
    code,
  );
}

/** Prints the module of the examples of the standard profile's events, by type. */
export const eventExamplesModule = (rows: readonly EventRow[]): string =>
  print(
    'import type { EventTypeMap } from "./types.ts";',
    "",
    "/** An example of each event of the standard profile, by type. */",
    "export const eventExamples: EventTypeMap = {",
    ...rows.map(({ type, file }) => `  ${text(type)}: ${text(examplesOf(file)[0])},`),
    "};",
  );

/** The examples of a schema, which tests validate. */
const examplesOf = ({ schema }: SchemaFile): readonly unknown[] =>
  schema["examples"] as readonly unknown[];

/** Prints a module with a `validate…` of each schema for a side. */
export function validatorsModule(
  side: Side,
  titles: readonly string[],
  files: readonly SchemaFile[],
): string {
  const { code, checkOf } = compileStandalone(byTitle(files), titles, side);
  const name = (title: string): string => (title === "WebhookEvent" ? "Event" : title);
  return print(
    `import type { ${titles.join(", ")} } from "./types.ts";`,
    helpersOf(code, "type Validator"),
    "",
    ...titles.map(
      (title) =>
        `export const validate${name(title)}: Validator<${title}> = /* @__PURE__ */ validator(${checkOf(title)});`,
    ),
    code,
  );
}

/** Prints the module that checks a provider's document. */
export function providerValidatorModule(): string {
  const schemas = { Provider: readJson("schemas/providers/provider.schema.json") as Schema };
  const { code, checkOf } = compileStandalone(schemas, ["Provider"], "writer");
  return print(
    'import type { ProviderDocument } from "./provider-types.ts";',
    helpersOf(code, "type Validator"),
    "",
    "/** Checks the shape of a provider's document; `schemeOf` checks its meaning. */",
    `export const checkProviderDocument: Validator<ProviderDocument> = /* @__PURE__ */ validator(${checkOf("Provider")});`,
    code,
  );
}

/** Prints the module of the text of `validation.ts`, for validators that users generate. */
export const validationSourceModule = (): string =>
  print(
    "/** The functions that compiled validators use, without exports. */",
    `export const validationSource = ${text(readText("schemas/src/validation.ts").replaceAll(/^export /gm, ""))};`,
  );

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
