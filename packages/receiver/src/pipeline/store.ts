import type { Envelope } from "./envelope.ts";
import type { InboxQueue } from "../inbox/inbox.ts";
import type { Deadline } from "./admission.ts";
import { inboxLate, recordedEvent } from "./handle.ts";
import { failed, type Outcome, rejected } from "./outcome.ts";
import type { ReceiverParts } from "./parts.ts";

/** The most events stored concurrently: each keeps its body in memory, and a stalled inbox would collect them. */
export const STORED_AT_ONCE = 256;

/** `acknowledge: 'after-store'`: the event is kept durably, and a worker handles it. */
export async function storeEvent(
  body: Uint8Array,
  envelope: Envelope,
  deadline: Deadline<Outcome>,
  parts: ReceiverParts,
  queue: InboxQueue,
): Promise<Outcome> {
  const { identity: event } = envelope;
  const { slots } = parts;
  const busy = (): Outcome => rejected("CS_RECEIVER_BUSY", { event });
  if (!slots.tryEnter() && !(await slots.wait(deadline, busy))) return busy();
  deadline.whenPassed = () => inboxLate(event);
  try {
    const stored = await queue.store({
      ...recordedEvent(body, envelope, parts, { byResource: parts.order !== "none" }),
      // Strict JSON was read from these bytes: they are UTF-8 without a byte order mark.
      body: new TextDecoder().decode(body),
      now: parts.now(),
      anyBody: parts.anyBody,
    });
    switch (stored) {
      case "stored":
        parts.onStored();
        return { kind: "stored", ...event };
      case "handled":
        return { kind: "duplicate", ...event };
      case "conflict":
        return rejected("CS_EVENT_ID_REUSED", { event });
      case "busy":
        return { kind: "in_progress", ...event, retryAfterSeconds: 5 };
      default:
        return stored satisfies never;
    }
  } catch (error) {
    return failed("CS_INBOX_UNAVAILABLE", error, event);
  } finally {
    slots.leave();
  }
}
