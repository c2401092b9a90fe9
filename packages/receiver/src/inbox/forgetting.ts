import type { Inbox } from "./inbox.ts";

/** How often the inbox forgets, in milliseconds, and how many events at once. */
const EVERY_MS = 60_000;
const AT_ONCE = 1000;

/**
 * Forgets events that were completed longer ago than the retention, without delaying an attempt. Call
 * the returned function with each outcome; most calls compare two numbers.
 */
export function createForgetting(
  inbox: Inbox,
  {
    retentionMs,
    now,
    elapsed,
  }: {
    readonly retentionMs: number;
    /** Wall time, in which the inbox stores when an event was completed. */
    readonly now: () => number;
    /** Monotonic time. */
    readonly elapsed: () => number;
  },
): () => void {
  let nextAt = elapsed() + EVERY_MS;
  return () => {
    const at = elapsed();
    if (at < nextAt || inbox.purge === undefined) return;
    nextAt = at + EVERY_MS;
    // If it fails, the next call tries again.
    forget(inbox.purge.bind(inbox), now() - retentionMs).catch(() => undefined);
  };
}

async function forget(purge: NonNullable<Inbox["purge"]>, before: number): Promise<void> {
  let forgotten: number;
  do forgotten = await purge({ before, limit: AT_ONCE });
  while (forgotten === AT_ONCE);
}
