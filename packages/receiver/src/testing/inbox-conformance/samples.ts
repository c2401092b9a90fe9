import assert from "node:assert/strict";
import type {
  ClaimRequest,
  EventKey,
  EventResource,
  Failure,
  Inbox,
  InboxQueue,
  Known,
  StoreRequest,
  TakeRequest,
} from "../../inbox/inbox.ts";

/** One sentence and its proof, by the sentence. */
export type NamedChecks = Readonly<Record<string, (inbox: Inbox) => Promise<void>>>;

export const LEASE_MS = 60_000;

export const keyOf = (id: string, tenant = "", provider = "acme"): EventKey => ({
  provider,
  tenant,
  id,
});

export const claimOf = (id: string, changes: Partial<ClaimRequest> = {}): ClaimRequest => ({
  key: keyOf(id),
  digest: "digest",
  type: "refund.authorized",
  leaseMs: LEASE_MS,
  now: 1000,
  ...changes,
});

/** What an event is handled by that was recorded at 1000. */
export const knownAs = (
  id: string,
  { by = "id", bodyDiffers = false }: Partial<Pick<Known, "by" | "bodyDiffers">> = {},
): Known => ({ state: "handled", by, first: { id, seenAt: 1000 }, bodyDiffers });

export const resourceOf = (name: string, rank = 1, timestamp = 500): EventResource => ({
  name,
  rank,
  timestamp,
});

export const storeOf = (id: string, changes: Partial<StoreRequest> = {}): StoreRequest => ({
  key: keyOf(id),
  digest: "digest",
  type: "refund.authorized",
  body: `{"id":"${id}","text":"€ \\u0000 \u{1F4B6}"}`,
  facts: `{"id":"${id}"}`,
  now: 1000,
  ...changes,
});

export const takeOf = (changes: Partial<TakeRequest> = {}): TakeRequest => ({
  provider: "acme",
  limit: 10,
  leaseMs: LEASE_MS,
  now: 1000,
  maxAttempts: 3,
  ...changes,
});

export const settlementOf = (
  id: string,
  token: number,
  now = 1000,
): { readonly key: EventKey; readonly token: number; readonly now: number } => ({
  key: keyOf(id),
  token,
  now,
});

/** Claims and returns the token. */
export async function claimed(inbox: Inbox, request: ClaimRequest): Promise<number> {
  const claim = await inbox.claim(request);
  assert.equal(claim.state, "claimed");
  return claim.state === "claimed" ? claim.token : 0;
}

/** The inbox's queue. */
export function queueOf({ queue }: Inbox): InboxQueue {
  assert(queue !== undefined, "the inbox has no queue");
  return queue;
}

export const failureOf = (id: string, token: number, attempts: number): Failure => ({
  ...settlementOf(id, token),
  attempts,
  maxAttempts: 3,
  retryAt: 5000,
  reason: "no",
});

/** Takes the one event that is due and lets its only attempt fail. @returns The token. */
export async function bury(queue: InboxQueue, id: string): Promise<number> {
  const [event] = await queue.take(takeOf({ limit: 1 }));
  assert.equal(event?.key.id, id);
  const last = { ...failureOf(id, event.token, 1), maxAttempts: 1 };
  assert.equal(await queue.fail(last), "dead");
  return event.token;
}

/** Takes and completes, a second later each time. @returns The ids in their order. */
export async function drain(
  inbox: Inbox,
  { from, looks }: { readonly from: number; readonly looks: number },
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let look = 0; look < looks; look += 1) {
    const now = from + look * 1000;
    for (const { key, token } of await queueOf(inbox).take(takeOf({ limit: 16, now }))) {
      ids.push(key.id);
      assert.equal(await inbox.complete({ key, token, now }), true);
    }
  }
  return ids;
}
