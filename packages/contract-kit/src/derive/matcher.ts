import { faultsOf, isRecord, kindOf, typesOf } from "./faults.ts";
import { isUnion, itemsOf, membersOf, placeOf, resolve } from "./schema.ts";
import type { LocatedSchema } from "./schema.ts";

/** Matchers in the format of Pact's builders, so that deriving them does not need Pact. */
export type Matcher =
  | { readonly "pact:matcher:type": "equality"; readonly value: unknown }
  | { readonly "pact:matcher:type": "regex"; readonly regex: string; readonly value: string }
  | { readonly "pact:matcher:type": "integer" | "number"; readonly value: number }
  | { readonly "pact:matcher:type": "type"; readonly value: unknown; readonly min?: number }
  | { readonly "pact:matcher:type": "null"; readonly value: null }
  | { readonly [member: string]: unknown };

/**
 * Pact's matcher of a value, along an example: the members that the example has, each with its type,
 * its form or its values. What Pact cannot express (bounds, lengths, closed objects, optional members, unions)
 * is left to the schemas' validators. A consumer names what it reads, so the example decides, not the
 * schema.
 *
 * @param example A value that the schema takes; of a list its first item speaks for all.
 * @throws {TypeError} The schema does not take the example.
 * @throws {OutsideSubsetError} `CS_KIT_OUTSIDE_SUBSET`
 */
export function matcher(located: LocatedSchema, example: unknown): Matcher {
  const at = resolve(located);
  const { schema } = at;
  if (isUnion(schema)) {
    const kind = kindOf(at, example);
    if (kind === undefined) throw new TypeError(`${placeOf(at)} does not take the example`);
    return matcher(kind, example);
  }
  // The consumer does not read members that the example lacks.
  if (faultsOf(at, example).some((keyword) => keyword !== "required"))
    throw new TypeError(`${placeOf(at)} does not take the example`);
  if ("const" in schema) return { "pact:matcher:type": "equality", value: schema.const };
  if (schema.enum !== undefined) return oneOfValues(schema.enum, example);
  if (example === null) return { "pact:matcher:type": "null", value: null };
  if (typeof example === "boolean") return { "pact:matcher:type": "type", value: example };
  if (typeof example === "number") {
    // Not `decimal`: it refuses whole numbers, and 10.00 arrives as 10.
    const type = typesOf(schema).includes("integer") ? "integer" : "number";
    return { "pact:matcher:type": type, value: example };
  }
  if (typeof example === "string") return textMatcher(at, example);
  if (Array.isArray(example)) return listMatcher(at, example);
  if (isRecord(example)) return memberMatchers(at, example);
  throw new TypeError(`${placeOf(at)}: the example is no JSON`);
}

function oneOfValues(values: readonly unknown[], example: unknown): Matcher {
  const texts = values.filter((value) => typeof value === "string");
  if (typeof example !== "string" || texts.length < values.length)
    return { "pact:matcher:type": "equality", value: example };
  const escaped = texts.map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return { "pact:matcher:type": "regex", regex: `^(${escaped.join("|")})$`, value: example };
}

const TIMESTAMP = String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$`;

function textMatcher({ schema }: LocatedSchema, value: string): Matcher {
  const { pattern, format } = schema;
  // Patterns are anchored in the subset, as Pact's are at any rate.
  const regex = pattern ?? (format === "date-time" ? TIMESTAMP : undefined);
  return regex === undefined
    ? { "pact:matcher:type": "type", value }
    : { "pact:matcher:type": "regex", regex, value };
}

function listMatcher(at: LocatedSchema, example: readonly unknown[]): Matcher {
  const items = itemsOf(at);
  const [first] = example;
  if (items === undefined || first === undefined)
    return { "pact:matcher:type": "type", value: example };
  const min = Math.max(1, at.schema.minItems ?? 0);
  const value = Array.from({ length: min }, () => matcher(items, first));
  return { "pact:matcher:type": "type", value, min };
}

function memberMatchers(at: LocatedSchema, example: Readonly<Record<string, unknown>>): Matcher {
  const members = new Map(membersOf(at));
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => {
      const member = members.get(name);
      return [
        name,
        member === undefined ? { "pact:matcher:type": "type", value } : matcher(member, value),
      ];
    }),
  );
}
