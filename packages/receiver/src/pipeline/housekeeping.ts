import type { ReceiverParts } from "./parts.ts";

type Parts = Pick<ReceiverParts, "inbox" | "leaseMs" | "now" | "elapsed" | "failures">;

/** Interval in milliseconds, and the number of events forgotten at once. */
const EVERY_MS = 60_000;
const AT_ONCE = 1000;
/** The most statements in a row. */
const MAX_ROUNDS = 1000;

/**
 * Keeps house in the background, once a minute: forgets events that ended longer ago than the
 * retention, and warns while stored events are overdue. The returned function is called with each outcome
 * and before each look of a worker; most calls compare two numbers.
 */
export function createHousekeeping(parts: Parts, retentionMs: number): () => void {
  const { inbox, now, elapsed } = parts;
  let nextAt = elapsed() + EVERY_MS;
  const forget = async (): Promise<void> => {
    const at = now();
    await repeat(async () => inbox.queue?.dropBodies?.({ now: at, limit: AT_ONCE }));
    await repeat(() => inbox.purge({ before: at - retentionMs, limit: AT_ONCE }));
  };
  return () => {
    const at = elapsed();
    if (at < nextAt) return;
    nextAt = Infinity;
    // The next run, in a minute, repeats a failed step; attempts report an unavailable inbox anyway.
    void Promise.allSettled([forget(), warnIfOverdue(parts)]).then(() => {
      nextAt = at + EVERY_MS;
    });
  };
}

async function repeat(some: () => Promise<number | undefined>): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one statement after the other
    if ((await some()) !== AT_ONCE) return;
  }
}

/** A worker that is alive takes an event within a lease, whatever happened to another one; twice that is too long. */
async function warnIfOverdue({ inbox, leaseMs, now, failures }: Parts): Promise<void> {
  const at = now();
  const status = await inbox.queue?.status({ dueBefore: at - 2 * leaseMs });
  if (status?.oldest === undefined || status.overdue === 0) return;
  const { overdue, unhandled, oldest } = status;
  const { type, key, storedAt } = oldest;
  failures.warn(
    `CS_EVENTS_OVERDUE: ${String(overdue)} of ${String(unhandled)} stored events should have been handled ` +
      `${String(Math.round((2 * leaseMs) / 1000))} s ago; the oldest, ${type} ${key.id} of ${key.provider}, was stored ` +
      `${String(Math.floor((at - storedAt) / 60_000))} min ago. ` +
      "Is receiver.start() called in a running process, and are its handlers fast enough?",
  );
}
