import type { SentEvent } from "@countersign/schemas/provider-of";
import { standardTitle } from "../documents/event-schemas.ts";
import { schemas } from "../documents/generated/schemas.ts";
import { isObject } from "../http/body.ts";
import { pointerTo } from "../http/readers.ts";
import type { EventKind } from "../profile/envelope.ts";
import { newId, type IdPrefix, type Random } from "../random.ts";
import { writtenTime } from "../use-cases/resources.ts";

/** Finds a name in a catalogue: the row of an event that this service emits, if there is one. */
export function sampledRow(catalogue: readonly SentEvent[], type: string): SentEvent | undefined {
  const rows = catalogue.filter((one) => one.type === type);
  return rows.find(({ kind }) => kind !== undefined) ?? rows[0];
}

/** The kind of a row's samples: a payment's creation for a name that this service never emits. */
export const sampledKind = ({ kind = "payment.created" }: SentEvent): EventKind => kind;

/**
 * Returns an event's data with the numbers' source texts: after parsing and printing, `10.50` would be
 * `10.5`. `undefined` if it is not an object.
 *
 * @param numbers The source text of the numbers, by JSON Pointer.
 */
export function eventData(
  value: unknown,
  numbers: ReadonlyMap<string, string>,
  pointer = "",
): object | undefined {
  if (!isObject(value)) return undefined;
  const data: Record<string, unknown> = {};
  for (const [name, one] of Object.entries(value)) {
    data[name] = withDigits(one, numbers, pointerTo(pointer, name));
  }
  return data;
}

function withDigits(value: unknown, numbers: ReadonlyMap<string, string>, at: string): unknown {
  if (typeof value === "number") return JSON.rawJSON(numbers.get(at) ?? String(value));
  if (!Array.isArray(value)) return eventData(value, numbers, at) ?? value;
  return value.map((one: unknown, index) => withDigits(one, numbers, `${at}/${index}`));
}

interface Sampling {
  readonly random: Random;
  /** Instant of the namespace's clock, in milliseconds. */
  readonly at: number;
}

/** Returns the data of a sample event; for a name without a kind, the profile's sample or its schema's example. */
export function sampleData(row: SentEvent, sampling: Sampling): object {
  const own = row.kind === undefined ? (row.sample ?? firstExample(row.schema)) : undefined;
  return isObject(own) ? own : exampleData(sampledKind(row), sampling);
}

/** The example of a kind in the schemas, with new ids, the sample's time, and amounts of two digits. */
function exampleData(kind: EventKind, { random, at }: Sampling): object {
  const ids = new Map<string, string>();
  const fresh = (name: string, value: unknown): unknown => {
    if (typeof value === "number") return JSON.rawJSON(value.toFixed(2));
    if (typeof value !== "string") return value;
    if (name.endsWith("Date")) return writtenTime(at);
    const [, prefix] = /^(pay|ref|cus)_/.exec(value) ?? [];
    if (prefix === undefined) return value;
    // The cast: the pattern has only prefixes.
    const id = ids.get(prefix) ?? newId(random, prefix as IdPrefix);
    ids.set(prefix, id);
    return id;
  };
  const example = firstExample(schemas[standardTitle(kind)]);
  if (!isObject(example)) throw new Error(`the schema of ${kind} has no example`);
  // An event's data is an object.
  return JSON.parse(JSON.stringify(example["data"]), fresh) as object;
}

function firstExample(schema: object | undefined): unknown {
  const { examples } = { examples: undefined, ...schema };
  return Array.isArray(examples) ? examples[0] : undefined;
}
