import { hash } from "node:crypto";
import type { Envelope } from "./envelope.ts";
import type { RecordedEvent } from "./inbox.ts";
import { resourceOf } from "./order.ts";
import type { ReceiverParts } from "./receiver-parts.ts";

/** What an inbox records of an authentic event. */
export function recordedEvent(
  body: Uint8Array,
  envelope: Envelope,
  { catalogue }: ReceiverParts,
): RecordedEvent {
  const { identity: event } = envelope;
  return {
    ...event,
    digest: hash("sha256", body, "base64url"),
    resource: resourceOf(envelope, catalogue.get(event.type)),
  };
}
