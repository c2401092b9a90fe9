import type { Inbox } from "./inbox.ts";

/** How often the inbox forgets, in milliseconds of the receiver's clock, and how much at once. */
const EVERY_MS = 60_000;
const AT_ONCE = 1000;

/**
 * Forgets, beside the attempts, what was settled longer ago than the retention. The returned
 * function is called with each outcome; most calls compare two numbers.
 */
export function createForgetting(
  inbox: Inbox,
  { retentionMs, now }: { readonly retentionMs: number; readonly now: () => number },
): () => void {
  let nextAt = now() + EVERY_MS;
  return () => {
    const at = now();
    if (at < nextAt || inbox.purge === undefined) return;
    nextAt = at + EVERY_MS;
    // What fails now is tried again with the next one.
    forget(inbox.purge.bind(inbox), at - retentionMs).catch(() => undefined);
  };
}

async function forget(purge: NonNullable<Inbox["purge"]>, before: number): Promise<void> {
  let forgotten: number;
  do forgotten = await purge({ before, limit: AT_ONCE });
  while (forgotten === AT_ONCE);
}
