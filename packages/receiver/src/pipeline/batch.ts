import { Deadline } from "./admission.ts";
import type { IncomingEvent } from "./event.ts";
import { failed, type Outcome } from "./outcome.ts";
import type { ReceiverParts } from "./parts.ts";
import { recordOnce } from "./record.ts";

/** Events of one batch that are handled at once. */
const AT_ONCE = 16;

/**
 * Handles a batch: each event is claimed, handled and recorded by itself, so that one that fails repeats no other.
 *
 * @returns `later` grows with the handlers that go on after the answer.
 */
export function handleBatch(
  events: readonly IncomingEvent[],
  deadline: Deadline<Outcome>,
  parts: ReceiverParts,
): { readonly outcome: Promise<Outcome>; readonly later: readonly Promise<Outcome>[] } {
  const later: Promise<Outcome>[] = [];
  const outcomes: Outcome[] = [];
  // Each event's own deadline, which is the same time, says what is answered for it.
  const leftMs = deadline.handOver();
  const waiting = events.entries();
  /** An event that a batch has twice waits for itself: it is a duplicate then, and not in progress. */
  const underway = new Map<string, Promise<Outcome>>();
  const handle = async (): Promise<void> => {
    for (const [index, event] of waiting) {
      const { identity } = event;
      const late = (): Outcome =>
        failed("CS_HANDLER_TIMEOUT", new Error("the batch took too long"), identity);
      const twin = underway.get(identity.key.id);
      // oxlint-disable-next-line no-await-in-loop -- as many at once as there are loops
      if (twin !== undefined) await twin;
      const left = leftMs();
      if (left <= 0) {
        outcomes[index] = late();
        continue;
      }
      const own = new Deadline<Outcome>(left, late);
      const flow = Promise.resolve(recordOnce(event, own, parts));
      const bound = own.bound(flow);
      underway.set(identity.key.id, bound);
      // oxlint-disable-next-line no-await-in-loop -- as many at once as there are loops
      outcomes[index] = await bound;
      if (own.handlerGoesOn) later.push(flow);
    }
  };
  const loops = Array.from({ length: Math.min(AT_ONCE, events.length) }, handle);
  return { outcome: Promise.all(loops).then(() => ({ kind: "batch", outcomes })), later };
}
