import { compareStates, parseAmount, readJson, type ResourceState } from "@countersign/rules";
import type { CatalogueEntry } from "@countersign/schemas";
import type { EventResource } from "../inbox/inbox.ts";
import { type EventIdentity, type Rejected, rejected } from "./outcome.ts";

/** An event of any type, as the fallback gets it. */
export interface UnknownEvent {
  readonly id: string;
  readonly type: string;
  /** The time of the event, as the sender wrote it. */
  readonly timestamp: string;
  readonly data: unknown;
}

/** An authentic body, decoded. */
export interface Envelope {
  readonly identity: EventIdentity;
  readonly event: UnknownEvent;
  /** The whole body, as a handler of a known type gets it. */
  readonly body: unknown;
  /** JSON Pointers of numbers whose source text is more precise than the parsed number. */
  readonly inexact: ReadonlyMap<string, string>;
}

/** The envelope's members, as unescaped JSON Pointers. */
export type EnvelopePointers = Readonly<Record<keyof UnknownEvent, readonly string[]>>;

/** The identity that a genuine signature proves. */
export interface SignedIdentity {
  readonly provider: string;
  readonly tenant: string;
  /** The signed id, if the scheme signs one. */
  readonly id: string | undefined;
}

// The id's alphabet is the signature's. A dot would let id, timestamp and body be split in another place.
const ID = /^[A-Za-z0-9_-]{1,256}$/;
const MAX_TYPE_LENGTH = 256;

/** Decodes the verified bytes strictly and finds the envelope's members by the profile's pointers. */
export function readEnvelope(
  bytes: Uint8Array,
  signed: SignedIdentity,
  {
    pointers,
    limits,
  }: { readonly pointers: EnvelopePointers; readonly limits: { readonly depth: number } },
): Envelope | Rejected {
  const json = readJson(bytes, limits);
  if (!json.ok)
    return rejected("CS_BODY_NOT_JSON", {
      details: [{ message: `${json.code} at offset ${String(json.offset)}` }],
    });

  const id = valueAt(json.value, pointers.id);
  const type = valueAt(json.value, pointers.type);
  const timestamp = valueAt(json.value, pointers.timestamp);
  const data = valueAt(json.value, pointers.data);
  if (typeof id !== "string" || !ID.test(id)) return malformed(pointers.id, "an event id");
  if (typeof type !== "string" || type === "" || type.length > MAX_TYPE_LENGTH)
    return malformed(pointers.type, "an event type");
  if (typeof timestamp !== "string") return malformed(pointers.timestamp, "a timestamp");
  if (data === undefined) return malformed(pointers.data, "the event's data");

  // If the two signed ids could differ, one event could be recorded as two, or two as one.
  if (signed.id !== undefined && signed.id !== id) return rejected("CS_EVENT_ID_MISMATCH");
  const identity = { key: { provider: signed.provider, tenant: signed.tenant, id }, type };
  const event = { id, type, timestamp, data };
  return { identity, event, body: json.value, inexact: json.numbers };
}

function malformed(pointer: readonly string[], expected: string): Rejected {
  const escaped = pointer.map((member) => `/${member.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  const details = [{ pointer: escaped.join(""), message: `must be ${expected}` }];
  return rejected("CS_EVENT_ENVELOPE", { details });
}

/** Rejects a known type that does not fit its schema. An unknown type passes: senders add types without notice. */
export function validate(
  { identity: event, body, inexact }: Envelope,
  catalogue: ReadonlyMap<string, CatalogueEntry<unknown>>,
): Rejected | undefined {
  const entry = catalogue.get(event.type);
  if (entry === undefined) return undefined;
  const validation = entry.validate(body);
  if (!validation.ok)
    return rejected("CS_EVENT_SCHEMA", {
      event,
      details: validation.errors.map(({ pointer, message }) => ({ pointer, message })),
    });
  // Judged on the source text: the parsed number of 0.1000000000000000055 is 0.1.
  const pointer = entry.amounts.find((amount) => inexact.has(amount));
  return pointer === undefined
    ? undefined
    : rejected("CS_EVENT_SCHEMA", {
        event,
        details: [{ pointer, message: "has more digits than an amount of cents" }],
      });
}

/**
 * Returns the resource that an event is about, by the pointer of its catalogue's entry. `undefined` if the
 * type is unknown or the body has no id there: such an event is neither ordered nor skipped.
 *
 * Types with the same name up to the last dot are states of one resource: a refund that carries its
 * payment's id is not that payment. A type without a dot uses its category.
 */
export function resourceOf(
  { identity: { type }, body, event }: Envelope,
  entry: CatalogueEntry<unknown> | undefined,
): EventResource | undefined {
  if (entry === undefined) return undefined;
  const id = valueAt(body, membersOf(entry.resource));
  if (typeof id !== "string" && typeof id !== "number") return undefined;
  const dot = type.lastIndexOf(".");
  const family = dot === -1 ? entry.category : type.slice(0, dot);
  return {
    name: JSON.stringify([family, id]),
    rank: entry.rank,
    timestamp: Date.parse(event.timestamp),
  };
}

/** True if the event is an older state of its resource than the last handled one. Ties and invalid times are not. */
export function isSuperseded(
  { type, resource }: { readonly type: string; readonly resource: EventResource },
  last: ResourceState | undefined,
): boolean {
  if (last === undefined) return false;
  const { rank, timestamp } = resource;
  return compareStates({ first: last, second: { type, rank, timestamp } }) === "older";
}

/**
 * Returns an event's amount as exact cents, 1 to 9,999,999,999. Validation has refused numbers whose source
 * text is more precise than the parsed number, so the number's shortest text is the amount.
 *
 * @throws {RangeError} the value is not an amount of cents. No event that a handler gets has such a value.
 */
export function amountCents(amount: { readonly value: number }): bigint {
  const parsed = parseAmount(String(amount.value));
  if (!parsed.ok) throw new RangeError(`invalid amount of cents: ${parsed.code}`);
  return parsed.cents;
}

/** Splits a JSON Pointer into its unescaped members (RFC 6901 section 4). */
export function membersOf(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((member) => member.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Returns the value at a pointer's members, or `undefined`. */
function valueAt(root: unknown, members: readonly string[]): unknown {
  let value = root;
  for (const member of members) {
    const object = Object(value) as Readonly<Record<string, unknown>>;
    // Own members only: `{}` has no "constructor".
    value = Object.hasOwn(object, member) ? object[member] : undefined;
  }
  return value;
}
