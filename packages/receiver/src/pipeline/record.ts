import type { Claim, Comparison, EventKey, InboxQueue, RecordedEvent } from "../inbox/inbox.ts";
import { Deadline } from "./admission.ts";
import { digestOf, type IncomingEvent, resourceOf, validate } from "./event.ts";
import { inboxLate, runClaimed } from "./handle.ts";
import {
  type EventIdentity,
  failed,
  type Outcome,
  rejected,
  type RejectionDetail,
} from "./outcome.ts";
import type { ReceiverParts } from "./parts.ts";
import { quoted } from "./router.ts";
import { FROM_LIST } from "../inbox/rows-inbox.ts";
import { storedFacts } from "./stored-event.ts";

/** Further members of the outcome of an event that ran. */
interface Marks {
  readonly schemaErrors?: readonly RejectionDetail[];
  readonly reconciled?: true;
}

/** Validates an authentic event and handles or stores it, once. Never rejects. */
export function recordOnce(
  event: IncomingEvent,
  deadline: Deadline<Outcome>,
  parts: ReceiverParts,
): Promise<Outcome> | Outcome {
  const { identity, facts } = event;
  const { mode, queue } = parts;
  if (mode !== "both" && facts.live !== (mode === "live"))
    return facts.live === undefined ? modeless(event, parts) : { kind: "ignored", ...identity };
  const faults = validate(event, parts);
  if (faults !== undefined && "kind" in faults) return faults;
  const marks: Marks = {
    ...(faults && { schemaErrors: faults }),
    ...(facts.reconciled && { reconciled: true }),
  };
  return queue === undefined
    ? handleOnce(event, marks, deadline, parts)
    : storeEvent(event, marks, deadline, { ...parts, queue });
}

/** Refuses an event without a mode: to run it could give goods for a test payment, to ignore it could lose a real one. */
function modeless({ identity: event }: IncomingEvent, { mode, provider }: ReceiverParts): Outcome {
  const { live } = provider.event;
  const place = typeof live === "object" ? live.at : (live ?? "the event");
  const message = `${place} must say whether the event is live, since the option "mode" is ${quoted(mode)}`;
  return rejected("CS_EVENT_ENVELOPE", { event, details: [{ message }] });
}

/**
 * Claims an event, runs its handler in a slot and completes it. From the claim on, the inbox decides who may
 * run the handler. The claim comes before the slot, so that a repeat of an event in progress is answered at once.
 */
async function handleOnce(
  incoming: IncomingEvent,
  marks: Marks,
  deadline: Deadline<Outcome>,
  parts: ReceiverParts,
): Promise<Outcome> {
  const { identity: event } = incoming;
  const { key, type } = event;
  const { inbox, leaseMs, slots } = parts;
  const claimedAt = parts.elapsed();
  let leaveSlot: (() => void) | undefined;
  try {
    const now = parts.now();
    const request = { ...recordedEvent(incoming, now, parts), leaseMs, now };
    const claim = await deadline.during(inboxLate(event), () => inbox.claim(request));
    if (claim.state !== "claimed") return known(claim, event, now);
    const { token, sameBytesAs } = claim;
    const busy = (): Outcome => rejected("CS_RECEIVER_BUSY", { event });
    const { tenant } = key;
    leaveSlot = slots.tryEnter(tenant) ?? (await slots.wait(tenant, deadline, busy));
    if (leaveSlot === undefined) {
      await release({ key, token }, parts);
      return busy();
    }
    const claimed = { event: incoming, token, claimedAt };
    const run = await runClaimed(claimed, deadline, parts, leaveSlot);
    leaveSlot();
    if (run.kind === "failed") {
      await release({ key, token }, parts);
      return failed(run.code, run.error, event);
    }
    const { kind, reply } = run;
    if (kind === "superseded") return { kind, key, type };
    const same = sameBytesAs !== undefined && { sameBytesAs };
    return { kind, key, type, ...same, ...(reply !== undefined && { reply }), ...marks };
  } catch (error) {
    leaveSlot?.();
    return failed("CS_INBOX_UNAVAILABLE", error, event);
  }
}

/** The outcome for an event that is recorded already. */
function known(
  found: Exclude<Claim, { readonly state: "claimed" }>,
  event: EventIdentity,
  now: number,
): Outcome {
  switch (found.state) {
    case "handled": {
      const { by, first, bodyDiffers } = found;
      const about = { by, firstKey: first.id, firstSeenAt: first.seenAt, bodyDiffers };
      return { kind: "duplicate", ...event, ...about };
    }
    case "conflict":
      return rejected("CS_EVENT_ID_REUSED", { event });
    case "busy": {
      const retryAfterSeconds = Math.max(1, Math.ceil((found.until - now) / 1000));
      return { kind: "in_progress", ...event, retryAfterSeconds };
    }
    default:
      return found satisfies never;
  }
}

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
  event: IncomingEvent,
  now: number,
  { catalogue, order, onIdReuse, replayOf, retryMs }: ReceiverParts,
): RecordedEvent & Comparison {
  const { key, type } = event.identity;
  return {
    key,
    type,
    digest: `${event.facts.reconciled ? FROM_LIST : ""}${digestOf(event.source)}`,
    // Without the order guard, nothing keeps two events of a resource apart.
    resource: order === "none" ? undefined : resourceOf(event, catalogue.get(type)),
    onIdReuse,
    sameBytes: event.comparesBytes ? replayOf(type) : undefined,
    // Later, equal bytes are another event: nobody retries any more.
    knownSince: event.hasId ? undefined : now - retryMs,
  };
}

/** The most events stored concurrently: each keeps its body in memory, and a stalled inbox would collect them. */
export const STORED_AT_ONCE = 256;

/** `acknowledge: 'after-store'`: the event is kept durably, and a worker handles it. */
async function storeEvent(
  incoming: IncomingEvent,
  marks: Marks,
  deadline: Deadline<Outcome>,
  parts: ReceiverParts & { readonly queue: InboxQueue },
): Promise<Outcome> {
  const { identity: event, source } = incoming;
  const { slots, queue } = parts;
  const { tenant } = event.key;
  const late = inboxLate(event);
  // Only the inbox keeps a slot: whoever waits for one waits for it.
  const leaveSlot = slots.tryEnter(tenant) ?? (await slots.wait(tenant, deadline, late));
  if (leaveSlot === undefined) return late();
  try {
    const now = parts.now();
    const request = {
      ...recordedEvent(incoming, now, parts),
      // The bytes were read as JSON or as a form: they are UTF-8 without a byte order mark.
      body: typeof source === "string" ? source : new TextDecoder().decode(source),
      facts: storedFacts(incoming),
      now,
    };
    const stored = await deadline.during(late, () => queue.store(request));
    if (stored.state !== "stored") return known(stored, event, now);
    parts.onStored();
    const { sameBytesAs } = stored;
    return {
      kind: "stored",
      ...event,
      ...(sameBytesAs !== undefined && { sameBytesAs }),
      ...marks,
    };
  } catch (error) {
    return failed("CS_INBOX_UNAVAILABLE", error, event);
  } finally {
    leaveSlot();
  }
}

/** Events of one batch that are handled at once. */
const AT_ONCE = 16;

/** Handles a batch: each event is claimed, handled and recorded by itself, so that one that fails repeats no other. */
export async function recordBatch(
  events: readonly IncomingEvent[],
  passage: { readonly deadline: Deadline<Outcome>; readonly later: Promise<Outcome>[] },
  parts: ReceiverParts,
): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  // Each event's own deadline, which is the same time, says what is answered for it.
  const leftMs = passage.deadline.handOver();
  const waiting = events.entries();
  /** An event that a batch has twice waits for itself: it is a duplicate then, and not in progress. */
  const underway = new Map<string, Promise<Outcome>>();
  const handle = async (): Promise<void> => {
    for (const [index, event] of waiting) {
      // oxlint-disable no-await-in-loop -- as many at once as there are loops
      const { identity } = event;
      const twin = underway.get(identity.key.id);
      if (twin !== undefined) await twin;
      const late = (): Outcome =>
        failed("CS_HANDLER_TIMEOUT", new Error("the batch took too long"), identity);
      const left = leftMs();
      if (left > 0) {
        const own = new Deadline<Outcome>(left, late);
        const bound = own.bound(Promise.resolve(recordOnce(event, own, parts)), passage.later);
        underway.set(identity.key.id, bound);
        outcomes[index] = await bound;
      } else outcomes[index] = late();
      // oxlint-enable no-await-in-loop
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, events.length) }, handle));
  return { kind: "batch", outcomes };
}
