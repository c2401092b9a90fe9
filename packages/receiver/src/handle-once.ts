import type { Envelope } from "./envelope.ts";
import { type EventIdentity, type Outcome, rejected } from "./outcome.ts";
import type { ReceiverParts } from "./receiver-parts.ts";
import { recordedEvent } from "./recorded-event.ts";
import { runClaimed } from "./run-claimed.ts";

/** `acknowledge: 'after-handler'`: claims, runs and settles. From here on the inbox decides who may run the handler. */
export async function handleOnce(
  body: Uint8Array,
  envelope: Envelope,
  parts: ReceiverParts,
): Promise<Outcome> {
  const { identity: event } = envelope;
  const leave = parts.slots.enter();
  if (leave === undefined) return rejected("CS_RECEIVER_BUSY", { event });
  try {
    // Without the order guard nothing keeps two events of a resource apart.
    const byResource = parts.order === "per-resource";
    const recorded = recordedEvent(body, { envelope, byResource }, parts);
    const now = parts.now();
    const claim = await parts.inbox.claim({
      ...recorded,
      leaseMs: parts.leaseMs,
      now,
      anyBody: parts.anyBody,
    });
    switch (claim.state) {
      case "handled":
        return { kind: "duplicate", ...event };
      case "conflict":
        return rejected("CS_EVENT_ID_REUSED", { event });
      case "busy": {
        const retryAfterSeconds = Math.max(1, Math.ceil((claim.until - now) / 1000));
        return { kind: "in_progress", ...event, retryAfterSeconds };
      }
      case "claimed":
        return await handleClaimed(envelope, claim.token, parts);
      default:
        return claim satisfies never;
    }
  } catch (error) {
    return failed("CS_INBOX_UNAVAILABLE", event, error);
  } finally {
    leave();
  }
}

async function handleClaimed(
  envelope: Envelope,
  token: number,
  parts: ReceiverParts,
): Promise<Outcome> {
  const { identity: event } = envelope;
  const run = await runClaimed(envelope, token, parts);
  switch (run.kind) {
    case "done":
      return { kind: run.as, ...event };
    case "lost":
      return failed("CS_CLAIM_LOST", event, new Error("the handler outlived its lease"));
    case "failed":
      // A release that fails is no second failure: the lease ends by itself.
      await parts.inbox.release({ key: event.key, token, now: parts.now() }).catch(() => false);
      return failed(run.code, event, run.error);
    default:
      return run satisfies never;
  }
}

function failed(
  code: Extract<Outcome, { kind: "failed" }>["code"],
  event: EventIdentity,
  error: unknown,
): Outcome {
  return { kind: "failed", code, retryAfterSeconds: 5, event, error };
}
