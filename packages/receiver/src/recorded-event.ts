import { hash } from "node:crypto";
import type { Envelope } from "./envelope.ts";
import type { RecordedEvent } from "./inbox/inbox.ts";
import { resourceOf } from "./order.ts";
import type { ReceiverParts } from "./receiver-parts.ts";

/** What an inbox records of an authentic event. Its resource is looked for only where something is kept apart by it. */
export function recordedEvent(
  body: Uint8Array,
  { envelope, byResource }: { readonly envelope: Envelope; readonly byResource: boolean },
  { catalogue }: ReceiverParts,
): RecordedEvent {
  const { key, type } = envelope.identity;
  const digest = hash("sha256", body, "base64url");
  const resource = byResource ? resourceOf(envelope, catalogue.get(type)) : undefined;
  return { key, type, digest, resource };
}
