import { BANNER } from "./banner.ts";
import type { EventRow } from "./catalogue.ts";
import type { SchemaFile } from "./load.ts";

/** The types of a script of checks. */
export function checksTypes(wanted: readonly SchemaFile[]): string {
  return [
    BANNER,
    'import type { RawValidator } from "../src/validator.ts";',
    "export declare const checks: {",
    ...wanted.map(({ title }) => `  readonly ${title}: RawValidator;`),
    "};",
    "",
  ].join("\n");
}

/** A module with a `validate…` of each schema, the writer's or the reader's, by the script of its check. */
export function validatorsModule(
  side: "writer" | "reader",
  wanted: Readonly<Record<string, readonly SchemaFile[]>>,
  rows: readonly EventRow[] = [],
): string {
  const scripts = Object.entries(wanted).map(([script, files], index) => ({
    script,
    files,
    local: index === 0 ? "checks" : `checks${String(index + 1)}`,
  }));
  const titles = scripts.flatMap(({ files }) => files.map(({ title }) => title));
  return [
    BANNER,
    ...scripts.map(
      ({ script, local }) =>
        `import { checks${local === "checks" ? "" : ` as ${local}`} } from "../../checks/${script}";`,
    ),
    `import type {\n${titles
      .concat(rows.length === 0 ? [] : "WebhookEvent")
      .map((title) => `  ${title},`)
      .join("\n")}\n} from "./types.ts";`,
    `import { ${rows.length === 0 ? "" : "byTag, "}${side}, type Validator } from "../validator.ts";`,
    "",
    ...scripts.flatMap(({ files, local }) =>
      files.map(
        ({ title }) =>
          `export const validate${title}: Validator<${title}> = ${side}(${local}.${title});`,
      ),
    ),
    ...(rows.length === 0
      ? []
      : [
          "/** Judges an event of any type of the standard profile. */",
          'export const validateEvent: Validator<WebhookEvent> = byTag<WebhookEvent>("type", {',
          ...rows.map(({ type, title }) => `  ${JSON.stringify(type)}: validate${title},`),
          "});",
        ]),
    "",
  ].join("\n");
}
