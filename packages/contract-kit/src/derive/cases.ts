import { lengthOf, pointerOf, type Steps, withValueAt } from "@countersign/schemas";
import { typesOf } from "../documents/json-schema.ts";
import { isRecord } from "../values.ts";
import { example, type ExampleOptions, plainExample } from "./example.ts";
import { isUnion, type LocatedSchema, LONGEST, resolve, wholeKindsOf } from "./schema.ts";
import { accepts, faultsOf, kindOf, partsOf } from "./validity.ts";

/** A whole value that was derived for one keyword of one schema in it. */
export interface Labelled {
  /** JSON Pointer of the place in the value; of the missing or unknown member itself. */
  readonly pointer: string;
  /** The keyword that the value breaks, or whose bound it is. */
  readonly keyword: string;
  /** Document, JSON Pointer and keyword of the schema: what a report of coverage counts. */
  readonly point: string;
  readonly value: unknown;
}

/**
 * Invalid values of a schema, each made from a valid one by breaking one keyword at one place. What
 * cannot be broken by itself (an empty text breaks `minLength` and the pattern) breaks
 * as few more as it can. Members that the value lacks are not broken: give it one that has them.
 *
 * @throws {TypeError} The schema does not take the value.
 */
export function negatives(located: LocatedSchema, valid: unknown): readonly Labelled[] {
  return casesOf(located, valid, breakingChanges);
}

/**
 * Valid values of a schema, each made from a valid one by moving one place to a bound of one
 * keyword: the shortest and the longest text, the least and the greatest number, each value of an enum,
 * each kind of a union, each type, and each member that may be absent, absent.
 *
 * @throws {TypeError} The schema does not take the value.
 */
export function boundaries(located: LocatedSchema, valid: unknown): readonly Labelled[] {
  const made = casesOf(located, valid, boundaryChanges);
  // Of kinds that are similar, a value may have two.
  return made.filter(({ value }) => accepts(located, value));
}

/** The most examples: unions in unions have thousands. */
const MOST = 100;

/**
 * Like `example`, with one more value for each other kind of each union in it, up to 100.
 *
 * @throws {DocumentError} `CS_DOCUMENT_NO_VALUE`: no value was found that the schema accepts.
 */
export function examples(located: LocatedSchema, options: ExampleOptions): readonly unknown[] {
  const kinds: ChangesAt = (at, value) =>
    isUnion(at.schema) ? otherKinds(at, value, options) : [];
  const found = new Map<string, unknown>();
  const add = (value: unknown): void => void found.set(JSON.stringify(value), value);
  add(example(located, options));
  for (const value of found.values())
    for (const one of casesOf(located, value, kinds))
      if (found.size < MOST && accepts(located, one.value)) add(one.value);
  return [...found.values()];
}

/** A change of a value, or of one of its members. */
interface Change {
  readonly keyword: string;
  /** The keyword's place in the schema. Default: the keyword. */
  readonly point?: string;
  readonly member?: string;
  /** `undefined` removes the member. */
  readonly value: unknown;
}

export type ChangesAt = (at: LocatedSchema, value: unknown) => readonly Change[];

/**
 * Walks through a value along its schema, and makes a whole value of each change at each place.
 *
 * @throws {TypeError} The schema does not take the value.
 */
export function casesOf(
  located: LocatedSchema,
  valid: unknown,
  changesAt: ChangesAt,
): readonly Labelled[] {
  if (!accepts(located, valid)) throw new TypeError(`${located.place} does not take the value`);
  const walk = (from: LocatedSchema, value: unknown, steps: Steps): readonly Labelled[] => {
    const at = resolve(from);
    const own = changesAt(at, value).map(({ keyword, point = keyword, member, value: put }) => {
      const place = member === undefined ? steps : [...steps, member];
      const whole = withValueAt(valid, place, put);
      return { pointer: pointerOf(place), keyword, point: `${at.place}/${point}`, value: whole };
    });
    const kind = kindOf(at, value);
    if (kind !== undefined) return [...own, ...walk(kind, value, steps)];
    const parts = partsOf(at, value);
    return [...own, ...parts.flatMap(([step, inner, part]) => walk(inner, part, [...steps, step]))];
  };
  return walk(located, valid, []);
}

function breakingChanges(at: LocatedSchema, value: unknown): readonly Change[] {
  const { required = [], additionalProperties, discriminator } = at.schema;
  if (isUnion(at.schema)) {
    const member = discriminator?.propertyName;
    if (member === undefined || !isRecord(value)) return [];
    return [{ keyword: "oneOf", member, value: "NO_SUCH_KIND" }];
  }
  const own = keywordsOf(at).flatMap((keyword): Change[] => {
    const [best] = limits[keyword](at, value)
      .broken.map((candidate) => ({ value: candidate, faults: faultsOf(at, candidate) }))
      .filter(({ faults }) => faults.includes(keyword))
      .toSorted((one, other) => one.faults.length - other.faults.length);
    return best === undefined ? [] : [{ keyword, value: best.value }];
  });
  if (!isRecord(value)) return own;
  const unknown = { keyword: "additionalProperties", member: "unknownMember", value: "unknown" };
  return [
    ...own,
    ...required.map((member) => absence(member, "required")),
    ...(additionalProperties === false ? [unknown] : []),
  ];
}

function boundaryChanges(at: LocatedSchema, value: unknown): readonly Change[] {
  const { required = [] } = at.schema;
  if (isUnion(at.schema)) return otherKinds(at, value, { optional: "present" });
  const own = keywordsOf(at).flatMap((keyword) =>
    limits[keyword](at, value)
      .allowed.filter((candidate) => accepts(at, candidate))
      // One text for all of its length.
      .slice(0, keyword.endsWith("Length") ? 1 : undefined)
      .map((candidate) => ({ keyword, value: candidate })),
  );
  const optional = Object.keys(isRecord(value) ? value : {}).filter(
    (name) => !required.includes(name) && Object.hasOwn(at.schema.properties ?? {}, name),
  );
  return [...own, ...optional.map((name) => absence(name, "properties"))];
}

/** A value of each kind of a union that the value does not have. */
const otherKinds = (
  at: LocatedSchema,
  value: unknown,
  options: ExampleOptions,
): readonly Change[] =>
  wholeKindsOf(at)
    .filter((kind) => !accepts(kind, value))
    .map((kind) => ({ keyword: "oneOf", value: plainExample(kind, options) }))
    .filter((change) => change.value !== undefined);

function absence(member: string, keyword: "required" | "properties"): Change {
  return { keyword, point: `${keyword}/${member}`, member, value: undefined };
}

/** Candidates on both sides of a keyword's limit. The caller drops those that are on the other side. */
interface NearLimit {
  readonly allowed: readonly unknown[];
  readonly broken: readonly unknown[];
}

type Limit = (at: LocatedSchema, value: unknown) => NearLimit;

const sized =
  (keyword: `${"min" | "max"}${"Length" | "Items"}`, beyond: 1 | -1): Limit =>
  ({ schema }, value) => {
    const limit = schema[keyword] ?? 0;
    const ofLength = keyword.endsWith("Items") ? listsOfLength : textsOfLength;
    return { allowed: ofLength(value, limit), broken: ofLength(value, limit + beyond) };
  };

const bound =
  (keyword: "minimum" | "maximum", beyond: 1 | -1): Limit =>
  ({ schema: { [keyword]: limit = 0, multipleOf = 1 } }) => {
    return { allowed: [limit], broken: [moved(limit, beyond * multipleOf)] };
  };

const form: Limit = (_at, value) => ({ allowed: [], broken: formBreakers(value) });

/** By keywords about the value itself; those about its members are handled separately. */
const limits = {
  type: ({ schema }) => ({
    allowed: [null],
    broken: typesOf(schema).includes("integer")
      ? [1.5, "1", null, {}]
      : [42, "10.50", true, null, {}, []],
  }),
  const: ({ schema }, value) => ({ allowed: [schema.const], broken: notListed(value) }),
  enum: ({ schema }, value) => ({ allowed: schema.enum ?? [], broken: notListed(value) }),
  minLength: sized("minLength", -1),
  maxLength: sized("maxLength", 1),
  pattern: form,
  format: form,
  minimum: bound("minimum", -1),
  maximum: bound("maximum", 1),
  multipleOf: ({ schema: { minimum = 0, multipleOf = 1 } }, value) => ({
    allowed: [minimum + multipleOf],
    broken: [1, -1].map((sign) => moved(Number(value), (sign * multipleOf) / 2)),
  }),
  minItems: sized("minItems", -1),
  maxItems: sized("maxItems", 1),
} as const satisfies Readonly<Record<string, Limit>>;

// The names of the table.
const JUDGING = Object.keys(limits) as readonly (keyof typeof limits)[];

const keywordsOf = ({ schema }: LocatedSchema): readonly (keyof typeof limits)[] =>
  JUDGING.filter((keyword) => Object.hasOwn(schema, keyword));

const notListed = (value: unknown): readonly unknown[] => [
  `${String(value)}_X`,
  typeof value === "number" ? value + 1 : false,
];

function moved(value: number, step: number): number {
  return Number((value + step).toFixed(9));
}

/** The list with its items repeated or left out. */
function listsOfLength(list: unknown, length: number): readonly unknown[] {
  if (!Array.isArray(list) || length < 0 || length > LONGEST) return [];
  if (list.length === 0 && length > 0) return [];
  return [Array.from({ length }, (_, index): unknown => list[index % list.length])];
}

/** The text truncated or extended in several ways: in its middle, at its end, and from an empty text. */
function textsOfLength(from: unknown, length: number): readonly string[] {
  if (typeof from !== "string" || length < 0 || length > LONGEST) return [];
  const all = Array.from(from);
  const missing = Math.max(0, length - all.length);
  const padded = ["a", "0", " ", all.at(-1) ?? "a", "/a"].flatMap((filler) => {
    const added = Array.from(filler.repeat(missing)).slice(0, missing).join("");
    return [from + added, added + from];
  });
  const fresh = ["a", "0", "A", "~"].map((one) => one.repeat(length));
  const afterFirst = all.toSpliced(1, 0, "a".repeat(missing)).join("");
  const address = `https://example.test/${"a".repeat(Math.max(0, length - 21))}`;
  const texts = [all.slice(0, length).join(""), ...padded, ...fresh, afterFirst, address];
  return texts.filter((text) => lengthOf(text) === length);
}

/** Texts that may break a pattern or format: other characters, required ones removed, and near-valid times and addresses. */
function formBreakers(from: unknown): readonly string[] {
  if (typeof from !== "string") return [];
  const all = Array.from(from);
  const replaced = ["\u0000", " ", "\n", "é", "#", ".", "/", "@", "\u{1F600}"].map((one) =>
    all.toSpliced(-1, 1, one).join(""),
  );
  return [
    ...replaced,
    from.replaceAll(/[^A-Za-z0-9]/gu, "a"),
    ...["", "a", "-", " "].map((one) => one.repeat(Math.max(1, all.length))),
    "2026-02-30T09:30:00.000Z",
    "2026-11-21T24:00:00.000Z",
    "ftp://example.test/webhooks",
    "https://user@example.test/webhooks",
    "https://example.test/webhooks#here",
  ];
}
