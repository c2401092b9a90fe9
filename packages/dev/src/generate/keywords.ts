import { BASE, type Schema, type SchemaFile } from "./load.ts";

/**
 * The closed subset of JSON Schema 2020-12 that the schemas are written in. Everything that is derived
 * from them knows each of these; a keyword outside would be ignored by some, silently.
 */
const KEYWORDS: ReadonlySet<string> = new Set(
  [
    "$schema $id $ref title description examples deprecated",
    "type const enum oneOf discriminator",
    "properties required additionalProperties",
    "items minItems maxItems",
    "minLength maxLength pattern format",
    "minimum maximum multipleOf",
    // Annotations of our own: an enum that readers take as open, and examples of what is refused.
    "x-open x-invalid",
  ].flatMap((line) => line.split(" ")),
);

const FORMATS: ReadonlySet<string> = new Set(["date-time", "uri"]);

// A quantified group that holds a quantifier, such as (a+)+, backtracks exponentially.
const NESTED_QUANTIFIER = /\([^)]*[*+{][^)]*\)[*+{]/g;
// Not so (/[a-z]+)*: each round begins with a character that the class does not have.
const SEPARATED = /^\(([ /,.:-])(\[(?:\\.|[^\]\\])+\])[*+]\)[*+{]$/;

function backtracks(pattern: string): boolean {
  return [...pattern.matchAll(NESTED_QUANTIFIER)].some(([group]) => {
    const [, separator, inner] = SEPARATED.exec(group) ?? [];
    return separator === undefined || inner === undefined || new RegExp(inner, "u").test(separator);
  });
}

/** What is wrong with a schema file, a line each; empty where nothing is. */
export function keywordFaults({ path, schema }: SchemaFile): readonly string[] {
  return faultsOf(schema, "").map((fault) => `${path}${fault}`);
}

function faultsOf(schema: Schema, at: string): string[] {
  const faults: string[] = [];
  for (const keyword of Object.keys(schema))
    if (!KEYWORDS.has(keyword))
      faults.push(`${at}: keyword ${JSON.stringify(keyword)} is outside the subset`);
  const {
    $ref: ref,
    type,
    format,
    pattern,
    additionalProperties,
  } = schema as {
    $ref?: string;
    type?: string;
    format?: string;
    pattern?: string;
    additionalProperties?: boolean;
  };
  if (ref !== undefined) {
    const target = new URL(ref, BASE + "resources/").href;
    if (!target.startsWith(BASE)) faults.push(`${at}: $ref leaves the folder: ${ref}`);
  }
  if (format !== undefined && !FORMATS.has(format))
    faults.push(`${at}: format ${format} has no meaning here`);
  if (pattern !== undefined) {
    if (schema["maxLength"] === undefined) faults.push(`${at}: a pattern needs a maxLength`);
    if (backtracks(pattern)) faults.push(`${at}: the pattern nests quantifiers`);
    if (!/^\^.*\$$/.test(pattern)) faults.push(`${at}: the pattern is not anchored`);
  }
  if (type === "object" && schema["properties"] !== undefined && additionalProperties !== false)
    faults.push(`${at}: an object with properties is closed`);
  if (type === "array" && schema["maxItems"] === undefined)
    faults.push(`${at}: an array needs a maxItems`);
  for (const [name, child] of subschemas(schema)) faults.push(...faultsOf(child, `${at}/${name}`));
  return faults;
}

/** A schema's direct subschemas, by their place. */
export function subschemas(schema: Schema): [string, Schema][] {
  const {
    properties = {},
    items,
    oneOf = [],
  } = schema as {
    properties?: Record<string, Schema>;
    items?: Schema;
    oneOf?: Schema[];
  };
  return [
    ...Object.entries(properties).map(([name, child]): [string, Schema] => [
      `properties/${name}`,
      child,
    ]),
    ...(items === undefined ? [] : [["items", items] satisfies [string, Schema]]),
    ...oneOf.map((child, index): [string, Schema] => [`oneOf/${String(index)}`, child]),
  ];
}

/** A copy of a schema, with every subschema replaced, innermost first. */
export function mapSchema(schema: Schema, change: (schema: Schema) => Schema): Schema {
  const { properties, items, oneOf } = schema as {
    properties?: Record<string, Schema>;
    items?: Schema;
    oneOf?: Schema[];
  };
  return change({
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, child]) => [name, mapSchema(child, change)]),
      ),
    }),
    ...(items && { items: mapSchema(items, change) }),
    ...(oneOf && { oneOf: oneOf.map((child) => mapSchema(child, change)) }),
  });
}
