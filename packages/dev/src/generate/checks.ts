import { fileURLToPath } from "node:url";
import { _, Ajv } from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import { buildSync } from "esbuild";
import { formats } from "../../../../schemas/src/formats.ts";
import { BANNER } from "./banner.ts";
import { compactChecks, reachableFrom } from "./compact-checks.ts";
import { mapSchema } from "./keywords.ts";
import type { Schema, SchemaFile } from "./load.ts";

/**
 * The checks of some schemas as scripts, by their names: each check is a function of a value that
 * answers with a boolean and leaves all faults on itself. `validator.ts` makes of them a writer's
 * validator, which minds every fault, and a reader's, which forgives what may have been added since.
 * What a script needs and an earlier one has, it imports from there.
 */
export function checksScripts(
  wanted: Readonly<Record<string, readonly SchemaFile[]>>,
  all: readonly SchemaFile[],
): Record<string, string> {
  const scripts = Object.entries(wanted);
  const titles = scripts.flatMap(([, files]) => files);
  const ajv = ajvOf(all);
  const names = Object.fromEntries(titles.map(({ title, id }) => [`check${title}`, id]));
  const declarations = compactChecks(standalone.default(ajv, names));
  const homes = new Map<string, string>();
  for (const [script, files] of scripts)
    for (const name of reachableFrom(
      files.map(({ title }) => `check${title}`),
      declarations,
    ))
      if (!homes.has(name)) homes.set(name, script);
  const foreign = new Map(scripts.map(([script]) => [script, new Set<string>()]));
  for (const { name, text } of declarations)
    for (const [word] of text.matchAll(/\b[A-Za-z]+\d+\b/g)) {
      const home = homes.get(word);
      if (home !== undefined && home !== homes.get(name)) foreign.get(home)?.add(word);
    }
  return Object.fromEntries(
    scripts.map(([script, files]) => {
      const own = declarations.filter(({ name }) => homes.get(name) === script);
      const text = own.map((declaration) => declaration.text).join("\n");
      const imports = scripts.map(([other]) => {
        const used = [...(foreign.get(other) ?? [])].filter((name) =>
          new RegExp(`\\b${name}\\b`).test(text),
        );
        return other === script || used.length === 0
          ? ""
          : `import { ${used.join(", ")} } from "./${other}";`;
      });
      const listed = files.map(({ title }) => `${title}: check${title}`).join(", ");
      const shared = [...(foreign.get(script) ?? [])].join(", ");
      return [
        script,
        minified([
          ...imports,
          text,
          `export const checks = { ${listed} };`,
          `export { ${shared} };`,
        ]),
      ];
    }),
  );
}

function ajvOf(all: readonly SchemaFile[]): Ajv {
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
    code: { source: true, esm: true, formats: _`formats` },
  });
  ajv.addKeyword({
    keyword: "openEnum",
    schemaType: "array",
    error: { message: "", params: ({ schemaCode }) => _`{allowedValues: ${schemaCode}}` },
    code: (cxt) => cxt.fail(_`!${cxt.schemaCode}.includes(${cxt.data})`),
  });
  for (const { schema } of all) ajv.addSchema(mapSchema(schema, judgingPart));
  return ajv;
}

const folder = fileURLToPath(new URL("../../../../schemas/src/", import.meta.url));

function minified(lines: readonly string[]): string {
  const helpers = [
    'import { fault } from "./fault.ts";',
    'import { formats } from "./formats.ts";',
    'import { lengthOf } from "./length-of.ts";',
  ];
  const bundle = buildSync({
    stdin: { contents: [...helpers, ...lines].join("\n"), resolveDir: folder },
    bundle: true,
    external: ["./*.js"],
    format: "esm",
    platform: "neutral",
    target: "es2024",
    minify: true,
    write: false,
  });
  return `${BANNER}\n${bundle.outputFiles[0]?.text ?? ""}`;
}

/**
 * What judges, without what explains: the generated code holds a copy of its schemas. `multipleOf`
 * judges a binary fraction, so amounts are judged on their source text instead.
 */
export function judgingPart(schema: Schema): Schema {
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
