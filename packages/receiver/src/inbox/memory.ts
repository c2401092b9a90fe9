import type { Inbox, InboxQueue } from "./inbox.ts";
import { rowsInbox } from "./rows-inbox.ts";
import { memoryRows } from "./memory-rows.ts";

export interface MemoryInboxOptions {
  /** Settled events that are remembered, the oldest forgotten first. Default 100,000, about 20 MB. */
  readonly capacity?: number;
  /** How long a settled event is remembered, in milliseconds. Default 30 days. */
  readonly retentionMs?: number;
}

const DAY_MS = 86_400_000;

/**
 * An inbox in this process's memory: for development and tests. It forgets on restart and does not
 * see other processes, so a duplicate that comes after either runs its handler again.
 *
 * @throws {TypeError} `capacity` or `retentionMs` is not a positive integer.
 */
export function memoryInbox(
  options: MemoryInboxOptions = {},
): Inbox & { readonly durable: false; readonly queue: InboxQueue } {
  const { capacity = 100_000, retentionMs = 30 * DAY_MS } = options;
  if (!Number.isSafeInteger(capacity) || capacity < 1)
    throw new TypeError('memoryInbox: "capacity" must be a positive integer');
  if (!Number.isSafeInteger(retentionMs) || retentionMs < 1)
    throw new TypeError('memoryInbox: "retentionMs" must be a positive integer of milliseconds');
  const rows = memoryRows({ capacity, retentionMs });
  return { ...rowsInbox(rows, { durable: false }), durable: false, retentionMs };
}
