import { fileURLToPath } from "node:url";
import { _, Ajv } from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import { buildSync } from "esbuild";
import { formats } from "../../../../schemas/src/formats.ts";
import { BANNER } from "./banner.ts";
import type { EventRow } from "./catalogue.ts";
import { mapSchema } from "./keywords.ts";
import type { Schema, SchemaFile } from "./load.ts";

/**
 * The checks of some schemas as one script without imports: each is a function of a value that
 * answers with a boolean and leaves all faults on itself. `validator.ts` makes of them a writer's
 * validator, which minds every fault, and a reader's, which forgives what may have been added since.
 */
export function checksScript(wanted: readonly SchemaFile[], all: readonly SchemaFile[]): string {
  // The subset has no keyword that draft 7 lacks, and Ajv's code for it is half as long.
  const ajv = new Ajv({
    strict: true,
    // The texts are ours, in `validator.ts`: they never hold a value.
    messages: false,
    discriminator: true,
    // One function a schema, called by all that refer to it.
    inlineRefs: false,
    allErrors: true,
    strictTypes: false,
    strictRequired: false,
    formats,
    code: {
      source: true,
      esm: true,
      formats: _`require(${fileURLToPath(new URL("../../../../schemas/src/formats.ts", import.meta.url))}).formats`,
    },
  });
  ajv.addKeyword({
    keyword: "openEnum",
    schemaType: "array",
    error: { message: "", params: ({ schemaCode }) => _`{allowedValues: ${schemaCode}}` },
    code: (cxt) => cxt.fail(_`!${cxt.schemaCode}.includes(${cxt.data})`),
  });
  for (const { schema } of all) ajv.addSchema(mapSchema(schema, judgingPart));
  const names = Object.fromEntries(wanted.map(({ title, id }) => [`check${title}`, id]));
  const listed = wanted.map(({ title }) => `${title}: check${title}`).join(", ");
  const code = standalone
    .default(ajv, names)
    .replaceAll(/\bexport const/g, "const")
    // Nobody reads where in the schema an error comes from, and it is a third of the code.
    .replaceAll(/schemaPath:"[^"]*",/g, "");
  // Ajv leaves require() calls in its ECMAScript modules; bundling its helpers leaves no import.
  const bundle = buildSync({
    stdin: {
      contents: `${code}\nexport const checks = { ${listed} };`,
      resolveDir: fileURLToPath(new URL(".", import.meta.url)),
    },
    absWorkingDir: fileURLToPath(new URL("../../../../", import.meta.url)),
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2024",
    minify: true,
    write: false,
  });
  return `${BANNER}\n${bundle.outputFiles[0]?.text ?? ""}`;
}

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

/**
 * What judges, without what explains: the generated code holds a copy of its schemas. `multipleOf`
 * judges a binary fraction, so amounts are judged on their source text instead.
 */
function judgingPart(schema: Schema): Schema {
  const {
    $schema: _dialect,
    multipleOf: _multipleOf,
    title: _title,
    description: _description,
    examples: _examples,
    "x-invalid": _invalid,
    deprecated: _deprecated,
    "x-open": isOpen,
    ...judging
  } = openUnion(schema);
  if (isOpen !== true) return judging;
  const { enum: values, ...rest } = judging;
  return { ...rest, openEnum: values };
}

/**
 * A union whose tag is open in one of its kinds: each known tag means its kind, any other tag the
 * open one. Ajv's discriminator knows closed tags alone.
 */
function openUnion(schema: Schema): Schema {
  const {
    discriminator,
    oneOf = [],
    ...rest
  } = schema as {
    discriminator?: { propertyName: string };
    oneOf?: { properties?: Record<string, Schema> }[];
  };
  const tag = discriminator?.propertyName ?? "";
  const open = oneOf.find(({ properties }) => properties?.[tag]?.["openEnum"] !== undefined);
  if (open === undefined) return schema;
  return oneOf
    .filter((kind) => kind !== open)
    .reduce<Schema>(
      (others, kind) => ({
        if: {
          type: "object",
          required: [tag],
          properties: { [tag]: { const: kind.properties?.[tag]?.["const"] } },
        },
        then: kind,
        else: others,
        ...rest,
      }),
      open,
    );
}
