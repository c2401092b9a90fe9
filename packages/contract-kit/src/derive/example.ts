import fc from "fast-check";
import { typesOf } from "../documents/json-schema.ts";
import { isRecord } from "../values.ts";
import { arbitrary, DEEP, possibleArbitrary } from "./arbitrary.ts";
import { formats } from "./formats.ts";
import { inside, itemsOf, type LocatedSchema, membersOf, resolve, wholeKindsOf } from "./schema.ts";
import { accepts } from "./validity.ts";

export interface ExampleOptions {
  /** Optional members: present or absent. */
  readonly optional: "present" | "absent";
}

/**
 * One valid value, always the same: the document's example as far as possible, filled
 * up or thinned out to `optional`.
 *
 * @throws {DocumentError} `CS_DOCUMENT_NO_VALUE`: no value was found that the schema accepts.
 */
export function example(located: LocatedSchema, options: ExampleOptions): unknown {
  return examples(located, options)[0];
}

/** Like `example`, with one more value for each other kind of each union in it, up to 100. */
export function examples(
  located: LocatedSchema,
  { optional }: ExampleOptions,
): readonly [unknown, ...unknown[]] {
  const at = resolve(located);
  const [first, ...others] = plainExamples(at, optional);
  if (first !== undefined) return [first, ...others];
  return [fc.sample(arbitrary(at), { seed: 1, numRuns: 1 })[0]];
}

/** Examples as far as they are found without a search. */
export function plainExamples(
  at: LocatedSchema,
  optional: ExampleOptions["optional"],
): readonly unknown[] {
  const made = new Examples(optional).at(at, [], undefined) ?? [];
  return made.filter((value) => accepts(at, value));
}

/** The most examples: unions in unions have thousands. */
const MOST = 100;

/** A value of an example around it, which is valid, or `undefined`. */
type Hint = unknown;

class Examples {
  readonly #optional: ExampleOptions["optional"];

  constructor(optional: ExampleOptions["optional"]) {
    this.#optional = optional;
  }

  /** @returns `undefined` if a value would have to contain itself. */
  at(located: LocatedSchema, above: readonly string[], hint: Hint): readonly unknown[] | undefined {
    const at = resolve(located);
    if (above.includes(at.place)) return undefined;
    const path = [...above, at.place];
    const wish = hint ?? (at.schema.examples ?? []).find((one) => accepts(at, one));
    const kinds = wholeKindsOf(at).toSorted((one, other) => rank(one, wish) - rank(other, wish));
    if (kinds.length === 0) return this.#plain(at, path, wish);
    const made = kinds.flatMap((kind, index) => {
      const isWished = index === 0 && rank(kind, wish) === 0;
      return this.at(kind, path, isWished ? wish : undefined) ?? [];
    });
    return made.length === 0 ? undefined : made.slice(0, MOST);
  }

  #plain(at: LocatedSchema, path: readonly string[], wish: Hint): readonly unknown[] | undefined {
    if (at.schema.properties !== undefined && typesOf(at.schema)[0] === "object")
      return this.#record(at, path, wish);
    const items = itemsOf(at);
    if (items === undefined || typesOf(at.schema)[0] !== "array")
      return wish === undefined ? ordinary(at) : [wish];
    const { minItems = 1 } = at.schema;
    const made = this.at(items, path, Array.isArray(wish) ? wish[0] : undefined);
    if (made === undefined) return minItems > 1 ? undefined : [[]];
    const [one] = made;
    if (minItems > 1 && minItems <= 100) return [Array.from({ length: minItems }, () => one)];
    return made.map((item) => [item]);
  }

  #record(at: LocatedSchema, path: readonly string[], wish: Hint): readonly unknown[] | undefined {
    const { required = [], properties = {}, additionalProperties: others } = at.schema;
    // Some documents forget to describe a required member.
    const forgotten = required.filter((name) => !Object.hasOwn(properties, name));
    const unlisted = inside(at, typeof others === "object" ? others : {}, "additionalProperties");
    const hints = isRecord(wish) ? wish : {};
    const isPresent = this.#optional === "present" && path.length <= DEEP;
    const members = [...membersOf(at), ...forgotten.map((name) => [name, unlisted] as const)]
      .filter(([name]) => isPresent || required.includes(name))
      .map(([name, member]) => {
        const hint = Object.hasOwn(hints, name) ? hints[name] : undefined;
        return [name, this.at(member, path, hint)] as const;
      });
    if (members.some(([name, made]) => made === undefined && required.includes(name)))
      return undefined;
    const named = members.flatMap(([name, made]) =>
      made === undefined ? [] : [[name, made] as const],
    );
    const base = Object.fromEntries(named.map(([name, [one]]) => [name, one]));
    const variants = named.flatMap(([name, [, ...more]]) =>
      more.map((other) => ({ ...base, [name]: other })),
    );
    return [base, ...variants.slice(0, MOST)];
  }
}

/** The kind with an example comes first. */
function rank(kind: LocatedSchema, wish: Hint): number {
  return wish !== undefined && accepts(kind, wish) ? 0 : 1;
}

/** A readable word if the pattern allows it, else a value from a fixed seed; `undefined` if no value was found. */
function ordinary(at: LocatedSchema): readonly unknown[] | undefined {
  const { schema } = at;
  if ("const" in schema) return [schema.const];
  if (schema.enum !== undefined) return schema.enum.slice(0, 1);
  const { minLength = 1, minimum, maximum, format = "" } = schema;
  const length = Math.min(minLength, 1000);
  const texts = [formats["uri"], formats["email"], formats["date-time"]].map((one) => one?.example);
  const types = typesOf(schema);
  const candidates: readonly unknown[] =
    types.length === 0 || types.includes("string")
      ? [formats[format]?.example, "example", "a".repeat(length), "1".repeat(length), ...texts]
      : [true, 1, minimum, maximum, {}, [], null];
  // Most texts and numbers have no bound: nothing is compiled to judge their example.
  const isFree = Object.keys(schema).every((keyword) => FREE.has(keyword));
  const [type] = types;
  const isAccepted = (one: unknown): boolean =>
    one !== undefined && ((isFree && type === typeof one) || accepts(at, one));
  const found = candidates.find(isAccepted);
  if (found !== undefined) return [found];
  const made = possibleArbitrary(at);
  return made && fc.sample(made, { seed: 1, numRuns: 1 });
}

const FREE = new Set(["type", "format", "title", "description", "deprecated", "examples"]);
