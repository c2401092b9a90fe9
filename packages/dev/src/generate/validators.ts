import { fileURLToPath } from "node:url";
import { _, Ajv } from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import { buildSync } from "esbuild";
import { formats } from "../../../../schemas/src/formats.ts";
import { BANNER } from "./banner.ts";
import { mapSchema } from "./keywords.ts";
import type { Schema, SchemaFile } from "./load.ts";

/** Which of the two validators of a schema. */
export type Side = "writer" | "reader";

/**
 * The validators of some schemas as one module without imports: each is a function of a value that
 * answers with a boolean and leaves its errors on itself, which `validator.ts` turns into results.
 */
export function validatorsModule(
  side: Side,
  wanted: readonly SchemaFile[],
  all: readonly SchemaFile[],
): string {
  // The subset has no keyword that draft 7 lacks, and Ajv's code for it is half as long.
  const ajv = new Ajv({
    strict: true,
    // The texts are ours, in `validator.ts`: they never hold a value.
    messages: false,
    discriminator: true,
    ownProperties: true,
    // One function a schema, called by all that refer to it.
    inlineRefs: false,
    // A writer is told everything at once; a stranger's body is judged no further than needed.
    allErrors: side === "writer",
    strictTypes: false,
    strictRequired: false,
    formats,
    code: {
      source: true,
      esm: true,
      formats: _`require(${fileURLToPath(new URL("../../../../schemas/src/formats.ts", import.meta.url))}).formats`,
    },
  });
  ajv.addKeyword("x-open");
  for (const { schema } of all)
    ajv.addSchema(mapSchema(schema, side === "writer" ? forWriters : forReaders));
  const names = Object.fromEntries(wanted.map(({ title, id }) => [`check${title}`, id]));
  const listed = wanted.map(({ title }) => `${title}: check${title}`).join(", ");
  const code = `${standalone.default(ajv, names)}\nexport const all = { ${listed} };`
    // Nobody reads where in the schema an error comes from, and it is a third of the code.
    .replaceAll(/schemaPath:"[^"]*",/g, "");
  // Ajv leaves require() calls in its ECMAScript modules; bundling its helpers leaves no import.
  const bundle = buildSync({
    stdin: { contents: code, resolveDir: fileURLToPath(new URL(".", import.meta.url)) },
    absWorkingDir: fileURLToPath(new URL("../../../../", import.meta.url)),
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2024",
    minify: true,
    write: false,
  });
  const [, body, exports = ""] =
    /^([\s\S]*)export\s*\{([^}]*)\};?\s*$/.exec(bundle.outputFiles[0]?.text ?? "") ?? [];
  const local = /([\w$]+) as all\b/.exec(exports)?.[1];
  if (body === undefined || local === undefined)
    throw new Error("the bundle has no list of checks");
  return [
    BANNER,
    "// @ts-nocheck: generated code without types, except for the export at the end.",
    'import type { RawValidator } from "../validator.ts";',
    body.trimEnd(),
    "export const checks: {",
    ...wanted.map(({ title }) => `  readonly ${title}: RawValidator;`),
    `} = ${local};`,
    "",
  ].join("\n");
}

/** A module with a `validate…` of each schema over the checks of `validatorsModule`. */
export function namedValidators(wanted: readonly SchemaFile[], checks: string): string {
  return [
    BANNER,
    `import { checks } from "./${checks}";`,
    `import type {\n${wanted.map(({ title }) => `  ${title},`).join("\n")}\n} from "./types.ts";`,
    'import { toValidator, type Validator } from "../validator.ts";',
    "",
    ...wanted.map(
      ({ title }) =>
        `export const validate${title === "WebhookEvent" ? "Event" : title}: Validator<${title}> = toValidator(checks.${title});`,
    ),
    "",
  ].join("\n");
}

/**
 * What judges, without what explains: the generated code holds a copy of its schemas. `multipleOf`
 * judges a binary fraction, so amounts are judged on their source text instead.
 */
function forWriters(schema: Schema): Schema {
  const {
    $schema: _dialect,
    multipleOf: _multipleOf,
    title: _title,
    description: _description,
    examples: _examples,
    "x-invalid": _invalid,
    deprecated: _deprecated,
    ...judging
  } = schema;
  return judging;
}

/** What a reader gets may have grown: unknown members pass, and enums marked open take any text. */
function forReaders(schema: Schema): Schema {
  const { additionalProperties, enum: values, ...rest } = openUnion(forWriters(schema));
  return {
    ...rest,
    ...(additionalProperties === undefined || additionalProperties === false
      ? {}
      : { additionalProperties }),
    ...(values === undefined || rest["x-open"] === true ? {} : { enum: values }),
  };
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
  const open = oneOf.find(({ properties }) => properties?.[tag]?.["x-open"] === true);
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
