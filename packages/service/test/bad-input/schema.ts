import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The keywords that the schemas of requests use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: "object" | "array" | "string" | "number";
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly oneOf?: readonly Schema[];
}

const KNOWN = new Set<string>([
  "$ref",
  "type",
  "const",
  "enum",
  "minLength",
  "maxLength",
  "pattern",
  "format",
  "minimum",
  "maximum",
  "multipleOf",
  "minItems",
  "maxItems",
  "items",
  "required",
  "additionalProperties",
  "properties",
  "oneOf",
]);
/** Say something to people and tools, and judge nothing. */
const WORDS = /^(?:\$schema|\$id|title|description|examples|x-.*|deprecated|discriminator)$/;

/** A schema of `schemas/resources`, its references taken in. */
export function schemaOf(name: string): Schema {
  const file = import.meta.resolve(`@countersign/schemas/resources/${name}.schema.json`);
  // A document of this repository; `resolved` refuses a keyword that is not of this form.
  return resolved(JSON.parse(readFileSync(fileURLToPath(file), "utf8")) as Schema);
}

function resolved(schema: Schema): Schema {
  const strangers = Object.keys(schema).filter((word) => !KNOWN.has(word) && !WORDS.test(word));
  // A keyword that nobody breaks would be tested by nobody.
  if (strangers.length > 0) throw new Error(`the generator does not know ${strangers.join(", ")}`);
  const { $ref, ...own } = schema;
  const base = $ref === undefined ? {} : schemaOf($ref.replace(".schema.json", ""));
  const { items, properties, oneOf } = own;
  return {
    ...base,
    ...own,
    ...(items && { items: resolved(items) }),
    ...(oneOf && { oneOf: oneOf.map(resolved) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, one]) => [name, resolved(one)]),
      ),
    }),
  };
}
