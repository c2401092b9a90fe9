import { isRecord } from "../values.ts";
import {
  labelled,
  partsOf,
  type Placed,
  type Labelled,
  type Steps,
  faultsOf,
  kindOf,
  lengthOf,
  typesOf,
} from "./faults.ts";
import { isUnion, type LocatedSchema, placeOf, resolve } from "./schema.ts";

/**
 * Invalid values of a schema, each made from a valid one by breaking one keyword at one place. What
 * cannot be broken by itself (an empty text breaks `minLength` and the pattern) breaks
 * as few more as it can. Members that the value lacks are not broken: give it one that has them.
 *
 * @throws {TypeError} The schema does not take the value.
 * @throws {OutsideSubsetError} `CS_KIT_OUTSIDE_SUBSET`
 */
export function negatives(located: LocatedSchema, valid: unknown): readonly Labelled[] {
  return labelled(valid, negativesAt(located, valid, []));
}

function negativesAt(located: LocatedSchema, value: unknown, steps: Steps): readonly Placed[] {
  const at = resolve(located);
  if (isUnion(at.schema)) {
    const kind = kindOf(at, value);
    if (kind === undefined) throw new TypeError(`${placeOf(at)} does not take the value`);
    return [...negativesAt(kind, value, steps), ...unionBreakers(at, value, steps)];
  }
  if (faultsOf(at, value).length > 0) throw new TypeError(`${placeOf(at)} does not take the value`);
  const judging = JUDGING.filter((keyword) => Object.hasOwn(at.schema, keyword));
  const own = judging.flatMap((keyword): Placed[] => {
    const broken = breakerOf(at, keyword, value);
    return broken ? [{ steps, keyword, point: pointOf(at, keyword), value: broken.value }] : [];
  });
  return [
    ...own,
    ...memberBreakers(at, value, steps),
    ...partsOf(at, value).flatMap(([step, schema, part]) =>
      negativesAt(schema, part, [...steps, step]),
    ),
  ];
}

/** Keywords about the value itself; those about its members are handled separately. */
export const JUDGING = [
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

/** Document, JSON Pointer and keyword. */
export function pointOf(at: LocatedSchema, keyword: string): string {
  return `${placeOf(at)}/${keyword}`;
}

function breakerOf(
  at: LocatedSchema,
  keyword: (typeof JUDGING)[number],
  value: unknown,
): { readonly value: unknown } | undefined {
  const broken = candidates(at, keyword, value)
    .map((candidate) => ({ value: candidate, faults: faultsOf(at, candidate) }))
    .filter(({ faults }) => faults.includes(keyword))
    .toSorted((one, other) => one.faults.length - other.faults.length);
  return broken[0];
}

function candidates(
  at: LocatedSchema,
  keyword: (typeof JUDGING)[number],
  value: unknown,
): readonly unknown[] {
  const { schema } = at;
  const { minLength = 0, maxLength = 0, minItems = 0, maxItems = 0 } = schema;
  const { minimum = 0, maximum = 0, multipleOf = 1 } = schema;
  switch (keyword) {
    case "type":
      return typesOf(schema).includes("integer")
        ? [1.5, "1", null, {}]
        : [42, "10.50", true, null, {}, []];
    case "const":
    case "enum":
      return [`${String(value)}_X`, typeof value === "number" ? value + 1 : false];
    case "minLength":
    case "maxLength": {
      const length = keyword === "minLength" ? minLength - 1 : maxLength + 1;
      if (typeof value !== "string" || length < 0) return [];
      const made = textOfLength(at, { from: value, length });
      return [
        made,
        value.repeat(Math.ceil(length / Math.max(1, lengthOf(value)))).slice(0, length),
      ];
    }
    case "pattern":
    case "format":
      return typeof value === "string" ? formBreakers(value) : [];
    case "minimum":
      return [near(minimum, -multipleOf)];
    case "maximum":
      return [near(maximum, multipleOf)];
    case "multipleOf":
      return typeof value === "number"
        ? [near(value, multipleOf / 2), near(value, -multipleOf / 2)]
        : [];
    case "minItems":
      return Array.isArray(value) && minItems > 0 ? [value.slice(0, minItems - 1)] : [];
    case "maxItems":
      return Array.isArray(value) && value.length > 0 ? [filled(value, maxItems + 1)] : [];
    default:
      return keyword satisfies never;
  }
}

function near(value: number, step: number): number {
  return Number((value + step).toFixed(9));
}

function filled(list: readonly unknown[], length: number): readonly unknown[] {
  return Array.from({ length }, (_, index) => list[index % list.length]);
}

function memberBreakers(at: LocatedSchema, value: unknown, steps: Steps): readonly Placed[] {
  if (!isRecord(value)) return [];
  const { required = [], additionalProperties } = at.schema;
  const missing = required.map((name): Placed => {
    const point = `${pointOf(at, "required")}/${name}`;
    return { steps: [...steps, name], keyword: "required", point, value: undefined };
  });
  if (additionalProperties !== false) return missing;
  const keyword = "additionalProperties";
  const unknown = { keyword, point: pointOf(at, keyword), value: "unknown" };
  return [...missing, { steps: [...steps, "unknownMember"], ...unknown }];
}

function unionBreakers(at: LocatedSchema, value: unknown, steps: Steps): readonly Placed[] {
  const tag = at.schema.discriminator?.propertyName;
  if (tag === undefined || !isRecord(value)) return [];
  const unknown = { keyword: "oneOf", point: pointOf(at, "oneOf"), value: "NO_SUCH_KIND" };
  return [{ steps: [...steps, tag], ...unknown }];
}

/**
 * A text of exactly this length that is valid except for its length, made from a valid one;
 * `undefined` if the format has a fixed length, such as a date-time.
 */
export function textOfLength(
  at: LocatedSchema,
  { from, length }: { readonly from: string; readonly length: number },
): string | undefined {
  const isFit = (text: string): boolean =>
    lengthOf(text) === length &&
    faultsOf(at, text).every((keyword) => ["minLength", "maxLength"].includes(keyword));
  return lengthened(from, length).find(isFit);
}

/** The text truncated or extended in several ways: in its middle, at its end, and from an empty text. */
function lengthened(from: string, length: number): readonly string[] {
  const all = Array.from(from);
  const cut = all.slice(0, length).join("");
  const missing = Math.max(0, length - all.length);
  const padded = ["a", "0", " ", all.at(-1) ?? "a", "/a"].flatMap((filler) => [
    from + filler.repeat(missing).slice(0, missing),
    Array.from(filler.repeat(missing)).slice(0, missing).join("") + from,
  ]);
  const fresh = ["a", "0", "A", "~"].map((one) => one.repeat(length));
  const beforeEnd = all.toSpliced(Math.min(1, all.length), 0, ...Array.from("a".repeat(missing)));
  const address = `https://example.test/${"a".repeat(Math.max(0, length - 21))}`;
  return [cut, ...padded, ...fresh, beforeEnd.join(""), address.slice(0, Math.max(length, 21))];
}

/**
 * Texts that may break the pattern or format: a character outside most classes instead of the last one,
 * required characters removed, and near-valid times and addresses.
 */
export function formBreakers(from: string): readonly string[] {
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
