import { readJson } from "@countersign/rules";
import { valueAt } from "./json-pointer.ts";
import { type EventIdentity, type Outcome, rejected } from "./outcome.ts";
import type { Verified } from "./receive.ts";
import type { ReceiverParts } from "./receiver-parts.ts";

/** An event of any type, as the fallback gets it. */
export interface UnknownEvent {
  readonly id: string;
  readonly type: string;
  /** When it happened, as the sender wrote it. */
  readonly timestamp: string;
  readonly data: unknown;
}

/** An authentic body, decoded. */
export interface Envelope {
  readonly identity: EventIdentity;
  readonly event: UnknownEvent;
  /** The whole body: what a handler of a known type gets. */
  readonly body: unknown;
  /** JSON Pointers of numbers whose text says more than the parsed number. */
  readonly inexact: ReadonlyMap<string, string>;
}

// The id's alphabet is the signature's: no dot, which would let id, timestamp and body be split anew.
const ID = /^[A-Za-z0-9_-]{1,256}$/;
const MAX_TYPE_LENGTH = 256;

/** Decodes the verified bytes strictly and finds the envelope's members by the profile's pointers. */
export function readEnvelope(
  bytes: Uint8Array,
  verified: Verified,
  { envelope: pointers, limits }: ReceiverParts,
): Envelope | Outcome {
  const json = readJson(bytes, { depth: limits.depth });
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

  // Two signed ids that disagree would make one event two, or two events one.
  if (verified.id !== undefined && verified.id !== id) return rejected("CS_EVENT_ID_MISMATCH");
  const identity = { key: { tenant: verified.tenant, id }, type };
  const event = { id, type, timestamp, data };
  return { identity, event, body: json.value, inexact: json.numbers };
}

function malformed(pointer: readonly string[], what: string): Outcome {
  const details = [{ pointer: `/${pointer.join("/")}`, message: `must be ${what}` }];
  return rejected("CS_EVENT_ENVELOPE", { details });
}
