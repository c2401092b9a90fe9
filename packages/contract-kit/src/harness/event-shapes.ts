import { withValueAt } from "@countersign/schemas";
import fc from "fast-check";
import { arbitrary } from "../derive/arbitrary.ts";
import { boundaries, casesOf, type ChangesAt } from "../derive/cases.ts";
import { example } from "../derive/example.ts";
import type { LocatedSchema } from "../derive/schema.ts";
import { isRecord, parseJson, spread, valuesIn } from "../values.ts";
import type { CatalogueRow, ProviderEvents } from "./provider-events.ts";
import { dataOf, placed, rowSchema } from "./row-schemas.ts";

/** A body that a row's events may have. */
export interface Shape {
  /** Its description, as the subject of a sentence after the event's type. */
  readonly what: string;
  readonly base: unknown;
  /** False if it has members or values that its schema does not list, which readers accept anyway. */
  readonly isListed: boolean;
}

/**
 * Everything that the schema of a row admits, in samples: every optional member present and absent, every bound of
 * a text and a number, nulls, each value of an enum, and values drawn by the seed; then what a reader must accept
 * although the schema does not list it. Without a schema, the samples with unknown members.
 */
export function eventShapes(
  events: ProviderEvents,
  row: CatalogueRow,
  draws: { readonly seed: number; readonly count: number },
): readonly Shape[] {
  const samples = events.samples.get(row.type) ?? [];
  const own = samples.flatMap((sample, index): Shape[] => [
    { what: `like sample ${index + 1}`, base: sample, isListed: true },
    ...added(sample),
  ]);
  const schema = rowSchema(row, events.document);
  if (schema !== undefined) {
    const most = row.kind === undefined ? MAX_SHAPES : Infinity;
    const made = spread(fromSchema(schema, draws), most);
    const whole = (base: unknown): unknown => placed(dataOf(base), events.dataAt);
    return [...own, ...made.map((one) => ({ ...one, base: whole(one.base) }))];
  }
  if (own.length > 0) return own;
  const { text } = events.make({ row, id: "cstest", resource: "cstest", at: 0 });
  return added(events.isForm ? {} : parseJson(text));
}

/** Shapes of one type of a vendor, whose schemas may have thousands of members. */
const MAX_SHAPES = 40;

const TEXTS: readonly (readonly [what: string, text: string])[] = [
  ["a combining accent", "Zoe\u0301 Mu\u0308ller"],
  ["characters beyond 16 bits", "\u{1F98A}\u{20BB7}"],
  ["letters from right to left", "\u05E9\u05DC\u05D5\u05DD \u0645\u0631\u062D\u0628\u0627"],
  ["quotes and markup", `O'Brien "<b>&amp;</b>" \\ / %s {{x}} \${y}`],
  ["breaks of lines", "a\nb\r\nc\td\u2028e"],
  ["a zero character", "a\0b"],
];

function fromSchema(
  schema: LocatedSchema,
  { seed, count }: { readonly seed: number; readonly count: number },
): readonly Shape[] {
  const full = example(schema, { optional: "present" });
  const whole = JSON.stringify(full);
  const bounds = boundaries(schema, full).filter(
    ({ pointer, value }) => pointer.startsWith("/data/") && JSON.stringify(value) !== whole,
  );
  const drawn = fc.sample(arbitrary(schema), { seed, numRuns: count });
  const listed = (what: string, value: unknown): Shape => ({
    what,
    base: printable(value),
    isListed: true,
  });
  const open: ChangesAt = ({ schema: { "x-open": isOpen } }) =>
    isOpen === true ? [{ keyword: "enum", value: "CSTEST_ADDED" }] : [];
  const withText = (text: string): ChangesAt => {
    return (at, value) => (isFreeText(at, value) ? [{ keyword: "type", value: text }] : []);
  };
  return [
    listed("without optional members", example(schema, { optional: "absent" })),
    listed("with all optional members", full),
    ...bounds.map(({ pointer, keyword, value }, index) =>
      listed(`at ${keyword} of ${pointer}${keyword === "enum" ? `, value ${index}` : ""}`, value),
    ),
    ...TEXTS.flatMap(([what, text], index) => {
      const texts = casesOf(schema, full, withText(text));
      const one = texts[(index + seed) % Math.max(1, texts.length)];
      return one === undefined ? [] : [listed(`with ${what} at ${one.pointer}`, one.value)];
    }),
    ...drawn.map((value, index) => listed(`drawn as number ${index + 1}`, value)),
    ...casesOf(schema, full, open).map(({ pointer, value }): Shape => ({
      what: `with an unknown value at ${pointer}`,
      base: value,
      isListed: false,
    })),
    ...added(full),
  ];
}

function added(event: unknown): readonly Shape[] {
  const value = { of: ["any", 1, null, true, 1.5, { deep: {} }] };
  // Of a list, its first item represents all.
  const objects = valuesIn(event).filter(
    ([steps, one]) =>
      isRecord(one) && steps.every((step) => step === 0 || typeof step === "string"),
  );
  return objects.map(([steps]) => ({
    what: `with an unknown member in /${steps.join("/")}`,
    base: withValueAt(event, [...steps, "cstestAdded"], value),
    isListed: false,
  }));
}

/** True at a text for people: without a pattern, a format or a fixed value. */
function isFreeText({ schema }: LocatedSchema, value: unknown): boolean {
  const { pattern, format, enum: listed, maxLength = Infinity } = schema;
  const isFree = pattern === undefined && format === undefined && listed === undefined;
  return typeof value === "string" && isFree && !("const" in schema) && maxLength >= 64;
}

/** Replaces zero characters, which PostgreSQL and others cannot store in a text. */
function printable(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(String.raw`\u0000`, "0"));
}
