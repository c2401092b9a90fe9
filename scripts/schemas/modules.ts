// Prints modules of validators and data: ajv compiles schemas, but makes no catalogue of events.
import { readFileSync } from "node:fs";
import { compileStandalone, type Side } from "../../packages/cli/src/types/standalone.ts";
import {
  BANNER,
  mapSchema,
  readJson,
  root,
  type Schema,
  type SchemaFile,
  targetOf,
} from "./load.ts";

/** A row of the reference provider's catalogue, joined with its schema. */
export interface EventRow {
  readonly type: string;
  readonly category: string;
  readonly resource: string;
  readonly rank?: number | undefined;
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
    const { properties = {} } = file.schema;
    if (properties["category"]?.["const"] !== category || properties["type"]?.["const"] !== type)
      throw new Error(`${file.path} is not of ${type} in ${category}`);
    const amounts = amountsIn(file, file.schema, "", files);
    return { type, category, resource, rank, title: file.title, file, amounts };
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
  return Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
    const { $ref: ref } = child;
    const target = ref === undefined ? { ...file, schema: child } : targetOf(ref, file.id, files);
    return target.path === "resources/amount.schema.json"
      ? [`${at}/${name}/value`]
      : amountsIn(target, target.schema, `${at}/${name}`, files);
  });
}

const text = JSON.stringify;
const print = (...lines: readonly string[]): string => `${[BANNER, ...lines].join("\n")}\n`;

// ajv's code has no types.
const NO_CHECK = "// @ts-nocheck -- compiled code";

/** The schemas by title; their references are titles. */
const byTitle = (files: readonly SchemaFile[]): Readonly<Record<string, Schema>> =>
  Object.fromEntries(
    files.map(({ title, id, schema }) => [
      title,
      mapSchema(schema, (part) =>
        part.$ref === undefined ? part : { $ref: targetOf(part.$ref, id, files).title },
      ),
    ]),
  );

/** Prints the import of what compiled checks use. */
const helpersOf = (code: string, ...more: readonly string[]): string => {
  const used = ["formats", "isEqualJson", "keepNearest", "lengthOf"].filter((name) =>
    code.includes(name),
  );
  return `import { ${[...used, ...more, "validator"].join(", ")} } from "../validation.ts";`;
};

/** Prints the module of the standard catalogue: a row an event, with its reader's validator. */
export function catalogueModule(files: readonly SchemaFile[], rows: readonly EventRow[]): string {
  const titles = rows.map(({ title }) => title);
  const { code, checkOf } = compileStandalone(byTitle(files), titles, "reader");
  return print(
    NO_CHECK,
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
    // Tests validate the examples.
    ...rows.map(
      ({ type, file }) => `  ${text(type)}: ${text((file.schema["examples"] as unknown[])[0])},`,
    ),
    "};",
  );

/** Prints a module with a `validate…` of each schema for a side. */
export const validatorsModule = (
  side: Side,
  titles: readonly string[],
  files: readonly SchemaFile[],
): string => printValidators(side, titles, byTitle(files), "./types.ts");

/** Prints the module that checks the shape of a provider's document; `schemeOf` checks its meaning. */
export function providerValidatorModule(): string {
  const ProviderDocument = readJson("schemas/providers/provider.schema.json") as Schema;
  const titles = ["ProviderDocument"];
  return printValidators("writer", titles, { ProviderDocument }, "./provider-types.ts");
}

function printValidators(
  side: Side,
  titles: readonly string[],
  schemas: Readonly<Record<string, Schema>>,
  types: string,
): string {
  const { code, checkOf } = compileStandalone(schemas, titles, side);
  const name = (title: string): string => (title === "WebhookEvent" ? "Event" : title);
  return print(
    NO_CHECK,
    `import type { ${titles.join(", ")} } from "${types}";`,
    helpersOf(code, "type Validator"),
    "",
    ...titles.map(
      (title) =>
        `export const validate${name(title)}: Validator<${title}> = /* @__PURE__ */ validator(${checkOf(title)});`,
    ),
    code,
  );
}

/** Prints the module of the text of `validation.ts`, for validators that users generate. */
export const validationSourceModule = (): string =>
  print(
    "/** The functions that compiled validators use, without exports. */",
    `export const validationSource = ${text(readFileSync(`${root}schemas/src/validation.ts`, "utf8").replaceAll(/^export /gm, ""))};`,
  );
