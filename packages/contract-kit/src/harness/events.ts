import { noMembers, putAt } from "@countersign/schemas";
import type { Sender, SentEvent } from "@countersign/schemas/provider-of";
import fc from "fast-check";
import { isRecord, withValueAt, type Steps } from "../values.ts";
import { arbitrary } from "../derive/arbitrary.ts";
import { boundaries } from "../derive/cases.ts";
import { example } from "../derive/example.ts";
import { resolve, schemaSet, standardSchemas, type LocatedSchema } from "../derive/schema.ts";
import { kindOf, partsOf } from "../derive/validity.ts";

type Members = Record<string, unknown>;
export type CatalogueRow = SentEvent;

/** The user's sample events by type: events without a schema in the catalogue are made like them. */
export type Samples = ReadonlyMap<string, readonly Readonly<Members>[]>;

export interface EventOrder {
  /** A row of the profile's catalogue. Default: the first. */
  readonly row?: CatalogueRow | undefined;
  readonly id: string;
  /** Id of the resource that it is about. */
  readonly resource: string;
  /** When it happened, in milliseconds since 1970. */
  readonly at: number;
  /** The event's name. Default: the row's. */
  readonly type?: string | undefined;
  /** The event before its members are replaced. Default: an example of the row. */
  readonly base?: Readonly<Members> | undefined;
  /** Replacements of members of the event's data. */
  readonly data?: Readonly<Members> | undefined;
  /** Replacements of members of the envelope's root. */
  readonly more?: Readonly<Members> | undefined;
}

/** A new event. */
export interface TestEvent {
  readonly id: string;
  readonly type: string;
  readonly resource: string;
  /** The event as JSON. A handled event is sent again with it, so it is what was sent first. */
  readonly text: string;
}

interface Shape {
  /** Its description, as the subject of a sentence after the event's type. */
  readonly what: string;
  readonly base: Readonly<Members>;
  /** False if it has members or values that its schema does not list, which readers accept anyway. */
  readonly isListed: boolean;
}

export interface EventMaker {
  /** False if only the headers have an event's id. */
  readonly hasId: boolean;
  /** An event in the profile's format, about its own resource, as an object that serializes to the sent text. */
  readonly make: (order: EventOrder) => Readonly<Members>;
  /**
   * Everything that the schema of a row admits, in samples: every optional member present and absent, every bound of
   * a text and a number, nulls, each value of an enum, and values drawn by the seed; then what a reader must accept
   * although the schema does not list it. Without a schema, the samples with unknown members.
   */
  readonly shapes: (row: CatalogueRow, draws: { seed: number; count: number }) => readonly Shape[];
}

/** A row without a kind has no schema: its data is that of a sample, or the resource's id. */
export function eventMaker(
  sender: Pick<Sender, "envelope" | "catalogue">,
  samples: Samples = new Map(),
  hasId = true,
): EventMaker {
  const { envelope: places, catalogue } = sender;
  const examples = new Map<string, Readonly<Members>>();
  const schemaOf = ({ kind, type, schema }: CatalogueRow): LocatedSchema | undefined => {
    if (kind !== undefined) return standardSchemas().document(`events/${kind}.schema.json`);
    if (schema === undefined) return undefined;
    const path = `events/${type}.schema.json`;
    const event = { type: "object", required: ["data"], properties: { data: schema } };
    return schemaSet({ [path]: event }).document(path);
  };
  /** A standard event in the form of the profile's envelope. */
  const placed = (event: unknown): Readonly<Members> => {
    const root = noMembers();
    // A schema of an event has an object with the resource under `data`.
    const { data } = event as { readonly data: Members };
    putAt(root, places.data, noMembers());
    for (const [name, value] of Object.entries(data)) putAt(root, `${places.data}/${name}`, value);
    return root;
  };
  const baseOf = (row: CatalogueRow): Readonly<Members> => {
    const [sample] = samples.get(row.type) ?? [];
    if (sample !== undefined) return sample;
    const known = examples.get(row.type);
    if (known !== undefined) return known;
    const schema = schemaOf(row);
    const made = placed(
      row.sample !== undefined || schema === undefined
        ? { data: row.sample ?? {} }
        : example(schema, { optional: "absent" }),
    );
    examples.set(row.type, made);
    return made;
  };
  return {
    hasId,
    make: (order) => {
      const row = order.row ?? catalogue[0];
      if (row === undefined) throw new TypeError("the profile's catalogue has no event");
      const root = noMembers();
      // The order of the members is that in which most senders print them: the envelope, then the data.
      if (hasId) putAt(root, places.id, order.id);
      putAt(root, places.type, order.type ?? row.type);
      if (places.category !== undefined) putAt(root, places.category, row.category);
      putAt(root, places.timestamp, new Date(order.at).toISOString());
      const { base = baseOf(row) } = order;
      merge(root, structuredClone(base));
      for (const [name, value] of Object.entries(order.data ?? {}))
        putAt(root, `${places.data}/${name}`, value);
      // The example's own resource would be one resource for all events, and an order guard would skip most.
      putAt(root, row.resource, order.resource);
      const own = ownIdOf(row.kind);
      if (own !== undefined) putAt(root, `${places.data}/${own}`, order.resource);
      for (const [name, value] of Object.entries(order.more ?? {})) putAt(root, `/${name}`, value);
      return root;
    },
    shapes: (row, draws) => {
      const schema = schemaOf(row);
      const own = (samples.get(row.type) ?? []).flatMap((sample, index): Shape[] => [
        { what: `like sample ${index + 1}`, base: sample, isListed: true },
        ...added(sample),
      ]);
      if (schema === undefined) return own.length > 0 ? own : added(baseOf(row));
      return [
        ...own,
        ...fromSchema(schema, draws).map((one) => ({ ...one, base: placed(one.base) })),
      ];
    },
  };
}

function merge(into: Members, from: Readonly<Members>): void {
  for (const [name, value] of Object.entries(from)) {
    const there = into[name];
    if (isRecord(there) && isRecord(value)) merge(there, value);
    else if (!Object.hasOwn(into, name)) into[name] = value;
  }
}

const TEXTS: readonly (readonly [what: string, text: string])[] = [
  ["a combining accent", "Zoe\u0301 Mu\u0308ller"],
  ["characters beyond 16 bits", "\u{1F98A}\u{20BB7}"],
  ["letters from right to left", "\u05E9\u05DC\u05D5\u05DD \u0645\u0631\u062D\u0628\u0627"],
  ["quotes and markup", `O'Brien "<b>&amp;</b>" \\ / %s {{x}} \${y}`],
  ["breaks of lines", "a\nb\r\nc\td\u2028e"],
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
    // A value of a schema of events is an object.
    base: printable(value) as Members,
    isListed: true,
  });
  const open = placesWhere(schema, full, [], (at) => at.schema["x-open"] === true);
  const texts = placesWhere(schema, full, [], isFreeText);
  return [
    listed("without optional members", example(schema, { optional: "absent" })),
    listed("with all optional members", full),
    ...bounds.map(({ pointer, keyword, value }, index) =>
      listed(`at ${keyword} of ${pointer}${keyword === "enum" ? `, value ${index}` : ""}`, value),
    ),
    ...TEXTS.flatMap(([what, text], index) => {
      const steps = texts[(index + seed) % Math.max(1, texts.length)];
      return steps === undefined
        ? []
        : [listed(`with ${what} at /${steps.join("/")}`, withValueAt(full, steps, text))];
    }),
    ...drawn.map((value, index) => listed(`drawn as number ${index + 1}`, value)),
    ...open.map((steps): Shape => ({
      what: `with an unknown value at /${steps.join("/")}`,
      base: withValueAt(full, steps, "CSTEST_ADDED") as Members,
      isListed: false,
    })),
    ...added(full as Members),
  ];
}

function added(event: Readonly<Members>): readonly Shape[] {
  const value = { of: ["any", 1, null, true, 1.5, { deep: {} }] };
  return objectsIn(event, []).map((steps) => ({
    what: `with an unknown member in /${steps.join("/")}`,
    base: withValueAt(event, [...steps, "cstestAdded"], value) as Members,
    isListed: false,
  }));
}

function objectsIn(value: unknown, steps: Steps): readonly Steps[] {
  if (Array.isArray(value)) return value.length > 0 ? objectsIn(value[0], [...steps, 0]) : [];
  if (!isRecord(value)) return [];
  const inner = Object.entries(value).flatMap(([name, one]) => objectsIn(one, [...steps, name]));
  return [steps, ...inner];
}

/** True at a text for people: without a pattern, a format or a fixed value. */
function isFreeText({ schema }: LocatedSchema, value: unknown): boolean {
  const { pattern, format, enum: listed, maxLength = Infinity } = schema;
  const isFree = pattern === undefined && format === undefined && listed === undefined;
  return typeof value === "string" && isFree && !("const" in schema) && maxLength >= 64;
}

function placesWhere(
  located: LocatedSchema,
  value: unknown,
  steps: Steps,
  fits: (at: LocatedSchema, value: unknown) => boolean,
): readonly Steps[] {
  const whole = resolve(located);
  const at = whole.schema.oneOf === undefined ? whole : (kindOf(whole, value) ?? whole);
  if (typeof value !== "object" || value === null) return fits(at, value) ? [steps] : [];
  return partsOf(at, value).flatMap(([step, part, one]) =>
    placesWhere(part, one, [...steps, step], fits),
  );
}

/** Replaces zero characters, which PostgreSQL and others cannot store in a text. */
function printable(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(String.raw`\u0000`, "0"));
}

function ownIdOf(kind: string | undefined): string | undefined {
  if (kind === undefined) return undefined;
  if (kind.startsWith("customer.")) return "id";
  return kind.startsWith("account.") ? "customerId" : "paymentId";
}
