import assert from "node:assert/strict";
import type {
  ClaimRequest,
  EventKey,
  EventResource,
  Inbox,
  InboxQueue,
  StoreRequest,
  TakeRequest,
} from "../../inbox/inbox.ts";

/** One sentence and its proof, by the sentence. */
export type NamedChecks = Readonly<Record<string, (inbox: Inbox) => Promise<void>>>;

export const LEASE_MS = 60_000;

export const keyOf = (id: string, tenant = ""): EventKey => ({ tenant, id });

export const claimOf = (id: string, changes: Partial<ClaimRequest> = {}): ClaimRequest => ({
  key: keyOf(id),
  digest: "digest",
  type: "refund.authorized",
  leaseMs: LEASE_MS,
  now: 1000,
  ...changes,
});

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
  now: 1000,
  ...changes,
});

export const takeOf = (changes: Partial<TakeRequest> = {}): TakeRequest => ({
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
