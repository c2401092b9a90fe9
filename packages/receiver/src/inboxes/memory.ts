import { claim, type EventState, settle } from "../event-state.ts";
import type { EventKey, Inbox, Settlement } from "../inbox.ts";

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
export function memoryInbox(options: MemoryInboxOptions = {}): Inbox {
  const { capacity = 100_000, retentionMs = 30 * DAY_MS } = options;
  if (!Number.isSafeInteger(capacity) || capacity < 1)
    throw new TypeError('memoryInbox: "capacity" must be a positive integer');
  if (!Number.isSafeInteger(retentionMs) || retentionMs < 1)
    throw new TypeError('memoryInbox: "retentionMs" must be a positive integer of milliseconds');

  // Claims are bounded by the receiver's concurrent handlers, so only settled events need a bound.
  const claimed = new Map<string, EventState>();
  // In the order of their settlement: forgetting takes from the front.
  const settled = new Map<string, { readonly state: EventState; readonly forgetAt: number }>();

  const forget = (now: number): void => {
    for (const [name, { forgetAt }] of settled) {
      if (settled.size <= capacity && now < forgetAt) return;
      settled.delete(name);
    }
  };
  const settleAs = (
    { key, token, now }: Settlement,
    as: "handled" | "waiting",
  ): Promise<boolean> => {
    const name = nameOf(key);
    const state = settle(claimed.get(name), { token, as });
    if (state === undefined) return Promise.resolve(false);
    claimed.delete(name);
    settled.set(name, { state, forgetAt: now + retentionMs });
    forget(now);
    return Promise.resolve(true);
  };

  return {
    durable: false,
    claim: (request) => {
      const name = nameOf(request.key);
      forget(request.now);
      const next = claim(claimed.get(name) ?? settled.get(name)?.state, request);
      if (next.answer.state === "claimed" && next.state !== undefined) {
        settled.delete(name);
        claimed.set(name, next.state);
      }
      return Promise.resolve(next.answer);
    },
    complete: (settlement) => settleAs(settlement, "handled"),
    release: (settlement) => settleAs(settlement, "waiting"),
  };
}

/** One text for a key. A tenant may hold any character, so its length stands in front. */
function nameOf({ tenant, id }: EventKey): string {
  return `${String(tenant.length)}:${tenant}:${id}`;
}
