import { hash } from "node:crypto";
import type { EventKey, InboxQueue, RecordedEvent } from "../inbox/inbox.ts";
import type { Deadline } from "./admission.ts";
import { type Envelope, resourceOf } from "./envelope.ts";
import { type ClaimedRun, inboxLate, runClaimed } from "./handle.ts";
import { type EventIdentity, failed, type Outcome, rejected } from "./outcome.ts";
import type { ReceiverParts } from "./parts.ts";

/**
 * Claims an event, runs its handler in a slot and completes it. From the claim on, the inbox decides who may
 * run the handler. The claim comes before the slot, so that a repeat of an event in progress is answered at once.
 */
export async function handleOnce(
  body: Uint8Array,
  envelope: Envelope,
  deadline: Deadline<Outcome>,
  parts: ReceiverParts,
): Promise<Outcome> {
  const { identity: event } = envelope;
  const { key, type } = event;
  const { inbox, leaseMs, onIdReuse, now, slots } = parts;
  const claimedAt = parts.elapsed();
  try {
    const wallTime = now();
    const request = { ...recordedEvent(body, envelope, parts), leaseMs, now: wallTime, onIdReuse };
    const claim = await deadline.during(inboxLate(event), () => inbox.claim(request));
    switch (claim.state) {
      case "handled":
        return { kind: "duplicate", key, type };
      case "conflict":
        return rejected("CS_EVENT_ID_REUSED", { event });
      case "busy":
        return inProgress(event, claim.until - wallTime);
      case "claimed":
        break;
      default:
        return claim satisfies never;
    }
    const { token } = claim;
    const busy = (): Outcome => rejected("CS_RECEIVER_BUSY", { event });
    if (!slots.tryEnter() && !(await slots.wait(deadline, busy))) {
      await release({ key, token }, parts);
      return busy();
    }
    let inSlot = true;
    const leaveSlot = (): void => {
      if (inSlot) slots.leave();
      inSlot = false;
    };
    let run: ClaimedRun;
    try {
      run = await runClaimed({ envelope, token, claimedAt }, { deadline, leaveSlot }, parts);
    } finally {
      leaveSlot();
    }
    switch (run.kind) {
      case "done":
        return { kind: run.as, key, type };
      case "lost":
        return failed("CS_CLAIM_LOST", run.error, event);
      case "failed":
        await release({ key, token }, parts);
        return failed(run.code, run.error, event);
      default:
        return run satisfies never;
    }
  } catch (error) {
    return failed("CS_INBOX_UNAVAILABLE", error, event);
  }
}

const inProgress = (event: EventIdentity, leftMs: number): Outcome => ({
  kind: "in_progress",
  ...event,
  retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
});

/** Frees the claim for the sender's next attempt. If this fails, the lease expires. */
async function release(
  claim: { readonly key: EventKey; readonly token: number },
  { inbox, now }: ReceiverParts,
): Promise<void> {
  try {
    await inbox.release({ ...claim, now: now() });
  } catch {
    // The lease ends by itself.
  }
}

/** Returns an authentic event as an inbox records it. */
function recordedEvent(
  body: Uint8Array,
  envelope: Envelope,
  { catalogue, order }: ReceiverParts,
): RecordedEvent {
  const { key, type } = envelope.identity;
  const digest = hash("sha256", body, "base64url");
  // Without the order guard, nothing keeps two events of a resource apart.
  const resource = order === "none" ? undefined : resourceOf(envelope, catalogue.get(type));
  return { key, type, digest, resource };
}

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
  const late = inboxLate(event);
  // Only the inbox keeps a slot: whoever waits for one waits for it.
  if (!slots.tryEnter() && !(await slots.wait(deadline, late))) return late();
  try {
    const request = {
      ...recordedEvent(body, envelope, parts),
      facts: "{}",
      // Strict JSON was read from these bytes: they are UTF-8 without a byte order mark.
      body: new TextDecoder().decode(body),
      now: parts.now(),
      onIdReuse: parts.onIdReuse,
    };
    const stored = await deadline.during(late, () => queue.store(request));
    switch (stored.state) {
      case "stored":
        parts.onStored();
        return { kind: "stored", ...event };
      case "handled":
        return { kind: "duplicate", ...event };
      case "conflict":
        return rejected("CS_EVENT_ID_REUSED", { event });
      case "busy":
        return inProgress(event, stored.until - request.now);
      default:
        return stored satisfies never;
    }
  } catch (error) {
    return failed("CS_INBOX_UNAVAILABLE", error, event);
  } finally {
    slots.leave();
  }
}
