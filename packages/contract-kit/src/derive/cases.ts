import { lengthOf, pointerOf } from "@countersign/schemas";
import { isRecord, withValueAt, type Steps } from "../values.ts";
import { plainExamples } from "./example.ts";
import { typesOf } from "../documents/json-schema.ts";
import {
  insidesOf,
  isUnion,
  type LocatedSchema,
  LONGEST,
  membersOf,
  resolve,
  wholeKindsOf,
} from "./schema.ts";
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
 * @throws {DocumentError} `CS_DOCUMENT_NO_VALUE`
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
 * @throws {DocumentError} `CS_DOCUMENT_NO_VALUE`
 */
export function boundaries(located: LocatedSchema, valid: unknown): readonly Labelled[] {
  return casesOf(located, valid, boundaryChanges);
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

type ChangesAt = (at: LocatedSchema, value: unknown) => readonly Change[];

/** Walks through a value along its schema, and makes a whole value of each change at each place. */
function casesOf(
  located: LocatedSchema,
  valid: unknown,
  changesAt: ChangesAt,
): readonly Labelled[] {
  const walk = (from: LocatedSchema, value: unknown, steps: Steps): readonly Labelled[] => {
    const at = resolve(from);
    if (faultsOf(at, value).length > 0) throw new TypeError(`${at.place} does not take the value`);
    const own = changesAt(at, value).map(({ keyword, point = keyword, member, value: put }) => {
      const changed = member === undefined ? steps : [...steps, member];
      const pointer = pointerOf(changed);
      const whole = withValueAt(valid, changed, put);
      return { pointer, keyword, point: `${at.place}/${point}`, value: whole };
    });
    const kind = kindOf(at, value);
    const inner =
      kind === undefined
        ? partsOf(at, value).flatMap(([step, schema, part]) => walk(schema, part, [...steps, step]))
        : walk(kind, value, steps);
    return [...own, ...inner];
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
    const [best] = nearLimit(at, keyword, value)
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
  if (isUnion(at.schema))
    return wholeKindsOf(at)
      .filter((kind) => !accepts(kind, value))
      .flatMap((kind) => plainExamples(kind, "present").slice(0, 1))
      .map((one) => ({ keyword: "oneOf", value: one }));
  const own = keywordsOf(at).flatMap((keyword) =>
    nearLimit(at, keyword, value)
      .allowed.filter((candidate) => faultsOf(at, candidate).length === 0)
      .map((candidate) => ({ keyword, value: candidate })),
  );
  const absences = membersOf(at)
    .filter(([name]) => !required.includes(name) && isRecord(value) && Object.hasOwn(value, name))
    .map(([name]) => absence(name, "properties"));
  return [...own, ...absences];
}

function absence(member: string, keyword: "required" | "properties"): Change {
  return { keyword, point: `${keyword}/${member}`, member, value: undefined };
}

/** Keywords about the value itself; those about its members are handled separately. */
const JUDGING = [
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
] as const;

type Keyword = (typeof JUDGING)[number];

function keywordsOf({ schema }: LocatedSchema): readonly Keyword[] {
  return JUDGING.filter((keyword) => Object.hasOwn(schema, keyword));
}

/** Candidates on both sides of a keyword's limit. The caller drops those that are on the other side. */
interface NearLimit {
  readonly allowed: readonly unknown[];
  readonly broken: readonly unknown[];
}

function nearLimit(at: LocatedSchema, keyword: Keyword, value: unknown): NearLimit {
  const { schema } = at;
  const { minLength = 0, maxLength = 0, minItems = 0, maxItems = 0 } = schema;
  const { minimum = 0, maximum = 0, multipleOf = 1 } = schema;
  const isNumber = typeof value === "number";
  // The first that is valid but for its length: one value represents the bound.
  const texts = (allowed: number, broken: number): NearLimit => ({
    allowed: textsOfLength(value, allowed)
      .filter((text) => faultsOf(at, text).length === 0)
      .slice(0, 1),
    broken: textsOfLength(value, broken),
  });
  switch (keyword) {
    case "type": {
      const isInteger = typesOf(schema).includes("integer");
      const broken = isInteger ? [1.5, "1", null, {}] : [42, "10.50", true, null, {}, []];
      return { allowed: [null], broken };
    }
    case "const":
    case "enum": {
      const allowed = "const" in schema ? [schema.const] : (schema.enum ?? []);
      return { allowed, broken: [`${String(value)}_X`, isNumber ? value + 1 : false] };
    }
    case "minLength":
      return texts(minLength, minLength - 1);
    case "maxLength":
      return texts(maxLength, maxLength + 1);
    case "pattern":
    case "format":
      return { allowed: [], broken: typeof value === "string" ? formBreakers(value) : [] };
    case "minimum":
      return { allowed: [minimum], broken: [moved(minimum, -multipleOf)] };
    case "maximum":
      return { allowed: [maximum], broken: [moved(maximum, multipleOf)] };
    case "multipleOf": {
      const half = multipleOf / 2;
      const broken = isNumber ? [moved(value, half), moved(value, -half)] : [];
      return { allowed: [minimum + multipleOf], broken };
    }
    case "minItems":
      return { allowed: listsOf(value, minItems), broken: listsOf(value, minItems - 1) };
    case "maxItems":
      return { allowed: listsOf(value, maxItems), broken: listsOf(value, maxItems + 1) };
    default:
      return keyword satisfies never;
  }
}

function moved(value: number, step: number): number {
  return Number((value + step).toFixed(9));
}

/** The list with its items repeated or left out. */
function listsOf(list: unknown, length: number): readonly unknown[] {
  if (!Array.isArray(list) || length < 0 || length > LONGEST) return [];
  if (list.length === 0 && length > 0) return [];
  return [Array.from({ length }, (_, index): unknown => list[index % list.length])];
}

/** The text truncated or extended in several ways: in its middle, at its end, and from an empty text. */
function textsOfLength(from: unknown, length: number): readonly string[] {
  if (typeof from !== "string" || length < 0 || length > LONGEST) return [];
  const all = Array.from(from);
  const cut = all.slice(0, length).join("");
  const missing = Math.max(0, length - all.length);
  const padded = ["a", "0", " ", all.at(-1) ?? "a", "/a"].flatMap((filler) => {
    const added = Array.from(filler.repeat(missing)).slice(0, missing).join("");
    return [from + added, added + from];
  });
  const fresh = ["a", "0", "A", "~"].map((one) => one.repeat(length));
  const afterFirst = all.toSpliced(1, 0, "a".repeat(missing)).join("");
  const address = `https://example.test/${"a".repeat(Math.max(0, length - 21))}`;
  const texts = [cut, ...padded, ...fresh, afterFirst, address];
  return texts.filter((text) => lengthOf(text) === length);
}

/**
 * Texts that may break the pattern or format: a character outside most classes instead of the last one,
 * required characters removed, and near-valid times and addresses.
 */
function formBreakers(from: string): readonly string[] {
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

export interface Coverage {
  /** Points that a case covers. */
  readonly covered: readonly string[];
  /** Points that no case covers. */
  readonly uncovered: readonly string[];
}

/** Divides the points of a schema by whether a case covers them; a point is `document#pointer/keyword`. */
export function coverage(located: LocatedSchema, cases: readonly Labelled[]): Coverage {
  const told = new Set(cases.map(({ point }) => point));
  const points = pointsOf(located);
  return {
    covered: points.filter((point) => told.has(point)),
    uncovered: points.filter((point) => !told.has(point)),
  };
}

/**
 * Every keyword of a schema, and of what it refers to, that can refuse a value. `type` next to `oneOf`
 * and `minLength` 0 refuse no further value, and are not points.
 */
export function pointsOf(located: LocatedSchema): readonly string[] {
  const points = new Set<string>();
  const visited = new Set<string>();
  const visit = (from: LocatedSchema): void => {
    const at = resolve(from);
    if (visited.has(at.place)) return;
    visited.add(at.place);
    for (const point of ownPoints(at)) points.add(`${at.place}/${point}`);
    for (const part of insidesOf(at)) visit(part);
  };
  visit(located);
  return [...points];
}

function ownPoints(at: LocatedSchema): readonly string[] {
  const { oneOf, required = [], additionalProperties, ...schema } = at.schema;
  const isIdle = (keyword: Keyword): boolean =>
    (keyword === "type" && oneOf !== undefined) ||
    ((keyword === "minLength" || keyword === "minItems") && schema[keyword] === 0);
  return [
    ...keywordsOf(at).filter((keyword) => !isIdle(keyword)),
    ...(oneOf === undefined ? [] : ["oneOf"]),
    ...required.map((name) => `required/${name}`),
    ...(additionalProperties === false ? ["additionalProperties"] : []),
  ];
}
