import fc from "fast-check";
import { isRecord } from "../values.ts";
import { faultsOf, kindOf, typesOf, accepts } from "./faults.ts";
import {
  isUnion,
  itemsOf,
  membersOf,
  placeOf,
  resolve,
  type LocatedSchema,
  kindsOf,
} from "./schema.ts";
import { arbitrary } from "./arbitrary.ts";

export interface ExampleOptions {
  /** Optional members: present or absent. */
  readonly optional: "present" | "absent";
}

/**
 * One valid value, always the same: the document's example as far as possible, filled
 * up or thinned out to `optional`.
 *
 * @throws {OutsideSubsetError} `CS_KIT_OUTSIDE_SUBSET`
 */
export function example(located: LocatedSchema, options: ExampleOptions): unknown {
  return examples(located, options)[0];
}

/** Like `example`, with one more value for each other kind of each union in it. */
export function examples(
  located: LocatedSchema,
  { optional }: ExampleOptions,
): readonly [unknown, ...unknown[]] {
  return examplesAt(located, optional, undefined);
}

type Examples = readonly [unknown, ...unknown[]];

/** `hint` is the value that the surrounding example has here. */
function examplesAt(
  located: LocatedSchema,
  optional: ExampleOptions["optional"],
  hint: unknown,
): Examples {
  const at = resolve(located);
  const wish = [hint, ...(at.schema.examples ?? [])].find(
    (one) => one !== undefined && accepts(at, one),
  );
  const kinds = kindsOf(at).toSorted((one, other) => rank(one, wish) - rank(other, wish));
  const [first, ...others] = kinds;
  if (first !== undefined) {
    const [one, ...more] = examplesAt(first, optional, wish);
    return [one, ...more, ...others.flatMap((kind) => examplesAt(kind, optional, undefined))];
  }
  if (at.schema.properties !== undefined) return recordsAt(at, optional, wish);
  const items = itemsOf(at);
  if (items !== undefined) {
    const [one, ...more] = examplesAt(items, optional, Array.isArray(wish) ? wish[0] : undefined);
    return [[one], ...more.map((item) => [item])];
  }
  return [wish ?? ordinary(at)];
}

/** The kind with an example comes first. */
function rank(kind: LocatedSchema, wish: unknown): number {
  return wish !== undefined && accepts(kind, wish) ? 0 : 1;
}

function recordsAt(
  at: LocatedSchema,
  optional: ExampleOptions["optional"],
  wish: unknown,
): Examples {
  const { required = [] } = at.schema;
  const hints = isRecord(wish) ? wish : {};
  const members = membersOf(at)
    .filter(([name]) => optional === "present" || required.includes(name))
    .map(([name, member]) => [name, examplesAt(member, optional, hints[name])] as const);
  const base = Object.fromEntries(members.map(([name, [one]]) => [name, one]));
  const variants = members.flatMap(([name, [, ...more]]) =>
    more.map((other) => ({ ...base, [name]: other })),
  );
  return [base, ...variants];
}

/** A readable word if the pattern allows it, else a value from a fixed seed. */
function ordinary(at: LocatedSchema): unknown {
  const { schema } = at;
  if ("const" in schema) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const { minLength = 1, minimum, maximum } = schema;
  const texts = [
    "example",
    "a".repeat(minLength),
    "1".repeat(minLength),
    "https://example.test/webhooks",
    "ada@example.test",
    "2026-11-21T09:30:00.000Z",
  ];
  const candidates: readonly unknown[] = typesOf(schema).includes("string")
    ? texts
    : [true, 1, minimum, maximum, {}, null];
  const found = candidates.find((one) => one !== undefined && accepts(at, one));
  return found ?? fc.sample(arbitrary(at), { seed: 1, numRuns: 1 })[0];
}

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
 * @param sample A value that the schema takes; of a list its first item speaks for all.
 * @throws {TypeError} The schema does not take the example.
 * @throws {OutsideSubsetError} `CS_KIT_OUTSIDE_SUBSET`
 */
export function matcher(located: LocatedSchema, sample: unknown): Matcher {
  const at = resolve(located);
  const { schema } = at;
  if (isUnion(schema)) {
    const kind = kindOf(at, sample);
    if (kind === undefined) throw new TypeError(`${placeOf(at)} does not take the example`);
    return matcher(kind, sample);
  }
  // The consumer does not read members that the example lacks.
  if (faultsOf(at, sample).some((keyword) => keyword !== "required"))
    throw new TypeError(`${placeOf(at)} does not take the example`);
  if ("const" in schema) return { "pact:matcher:type": "equality", value: schema.const };
  if (schema.enum !== undefined) return oneOfValues(schema.enum, sample);
  if (sample === null) return { "pact:matcher:type": "null", value: null };
  if (typeof sample === "boolean") return { "pact:matcher:type": "type", value: sample };
  if (typeof sample === "number") {
    // Not `decimal`: it refuses whole numbers, and 10.00 arrives as 10.
    const type = typesOf(schema).includes("integer") ? "integer" : "number";
    return { "pact:matcher:type": type, value: sample };
  }
  if (typeof sample === "string") return textMatcher(at, sample);
  if (Array.isArray(sample)) return listMatcher(at, sample);
  if (isRecord(sample)) return memberMatchers(at, sample);
  throw new TypeError(`${placeOf(at)}: the example is not JSON`);
}

function oneOfValues(values: readonly unknown[], sample: unknown): Matcher {
  const texts = values.filter((value) => typeof value === "string");
  if (typeof sample !== "string" || texts.length < values.length)
    return { "pact:matcher:type": "equality", value: sample };
  const escaped = texts.map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return { "pact:matcher:type": "regex", regex: `^(${escaped.join("|")})$`, value: sample };
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

function listMatcher(at: LocatedSchema, sample: readonly unknown[]): Matcher {
  const items = itemsOf(at);
  const [first] = sample;
  if (items === undefined || first === undefined)
    return { "pact:matcher:type": "type", value: sample };
  const min = Math.max(1, at.schema.minItems ?? 0);
  const value = Array.from({ length: min }, () => matcher(items, first));
  return { "pact:matcher:type": "type", value, min };
}

function memberMatchers(at: LocatedSchema, sample: Readonly<Record<string, unknown>>): Matcher {
  const members = new Map(membersOf(at));
  return Object.fromEntries(
    Object.entries(sample).map(([name, value]) => {
      const member = members.get(name);
      return [
        name,
        member === undefined ? { "pact:matcher:type": "type", value } : matcher(member, value),
      ];
    }),
  );
}
