import fc from "fast-check";
import { isRecord } from "../values.ts";
import { typesOf, accepts } from "./faults.ts";
import { itemsOf, membersOf, resolve, type LocatedSchema, kindsOf } from "./schema.ts";
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
