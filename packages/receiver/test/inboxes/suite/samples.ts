import assert from "node:assert/strict";
import type {
  Claim,
  ClaimRequest,
  DeadEvent,
  EventKey,
  EventResource,
  FoundEvent,
  Inbox,
  InboxQueue,
  Known,
  QueueStatus,
  Stored,
  StoreRequest,
  TakenEvent,
  TakeRequest,
} from "@countersign/receiver";

/** One sentence and its proof, by the sentence. */
export type NamedChecks = Readonly<Record<string, (calls: Calls) => Promise<void>>>;

export const LEASE_MS = 60_000;
/** The time at which a lease ends that began at 1000. */
export const LEASE_END = 61_000;
/** A time at which every retry is due. */
export const LATER = 9e12;

export const keyOf = (id: string, tenant = "", provider = "acme"): EventKey => ({
  provider,
  tenant,
  id,
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
  facts: `{"id":"${id}"}`,
  now: 1000,
  ...changes,
});

/** The answer about a handled event that was recorded at 1000. */
export const knownAs = (
  id: string,
  { by = "id", bodyDiffers = false }: Partial<Pick<Known, "by" | "bodyDiffers">> = {},
): Known => ({ state: "handled", by, first: { id, seenAt: 1000 }, bodyDiffers });

export const idsOf = (events: readonly { readonly key: EventKey }[]): readonly string[] =>
  events.map(({ key }) => key.id);

/** The calls of an inbox, at 1000 and about the key of an id unless a check says otherwise. */
export class Calls {
  readonly inbox: Inbox;

  constructor(inbox: Inbox) {
    this.inbox = inbox;
  }

  claim(id: string, changes: Partial<ClaimRequest> = {}): Promise<Claim> {
    const { key, digest, type, now } = storeOf(id);
    return this.inbox.claim({ key, digest, type, leaseMs: LEASE_MS, now, ...changes });
  }

  /** Claims and returns the token. */
  async claimed(id: string, changes: Partial<ClaimRequest> = {}): Promise<number> {
    const answer = await this.claim(id, changes);
    assert.equal(answer.state, "claimed");
    return answer.state === "claimed" ? answer.token : 0;
  }

  complete(id: string, token = 0, now = 1000, superseded = false): Promise<boolean> {
    return this.inbox.complete({ key: keyOf(id), token, now, superseded });
  }

  release(id: string, token = 0, now = 1000): Promise<boolean> {
    return this.inbox.release({ key: keyOf(id), token, now });
  }

  async lastOf(name: string, of: Partial<EventKey> = {}): ReturnType<Inbox["lastHandled"]> {
    return this.inbox.lastHandled({ provider: "acme", tenant: "", ...of, name });
  }

  async purge(before: number, limit = 10): Promise<number> {
    return this.inbox.purge({ before, limit });
  }

  async find(...keys: readonly EventKey[]): Promise<readonly (FoundEvent | undefined)[]> {
    assert(this.inbox.find !== undefined, "the inbox has no find");
    return this.inbox.find(keys);
  }

  /** The ids of events of `acme` that were recorded first from `since` to `until`, after the id `after`. */
  async recorded(
    since: number,
    until: number,
    { after = "", limit = 10 } = {},
  ): Promise<readonly string[]> {
    assert(this.inbox.recorded !== undefined, "the inbox has no recorded");
    const request = { provider: "acme", tenant: "", since, until, after, limit };
    return idsOf(await this.inbox.recorded(request));
  }

  get #queue(): InboxQueue {
    assert(this.inbox.queue !== undefined, "the inbox has no queue");
    return this.inbox.queue;
  }

  store(id: string, changes: Partial<StoreRequest> = {}): Promise<Stored> {
    return this.#queue.store(storeOf(id, changes));
  }

  take(changes: Partial<TakeRequest> = {}): Promise<readonly TakenEvent[]> {
    const look = { provider: "acme", limit: 10, leaseMs: LEASE_MS, now: 1000, maxAttempts: 3 };
    return this.#queue.take({ ...look, ...changes });
  }

  fail(id: string, token = 0, attempts = 1, maxAttempts = 3): ReturnType<InboxQueue["fail"]> {
    const end = { key: keyOf(id), token, attempts, maxAttempts, reason: "no" };
    return this.#queue.fail({ ...end, now: 1000, retryAt: 5000 });
  }

  /** Takes the one event that is due and lets its only attempt fail. @returns The token. */
  async bury(id: string): Promise<number> {
    const [event] = await this.take({ limit: 1 });
    assert.equal(event?.key.id, id);
    assert.equal(await this.fail(id, event.token, 1, 1), "dead");
    return event.token;
  }

  dead(): Promise<readonly DeadEvent[]> {
    return this.#queue.dead({ limit: 10 });
  }

  retry(id: string, now = 1000): Promise<boolean> {
    return this.#queue.retry({ key: keyOf(id), now });
  }

  erase(id: string, now = 1000): ReturnType<InboxQueue["erase"]> {
    return this.#queue.erase({ key: keyOf(id), now });
  }

  status(dueBefore: number): Promise<QueueStatus> {
    return this.#queue.status({ dueBefore });
  }

  /** Takes and completes, a second later each time. @returns The ids in their order. */
  async drain(from: number, looks: number, limit = 16): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let look = 0; look < looks; look += 1) {
      const now = from + look * 1000;
      for (const { key, token } of await this.take({ limit, now })) {
        ids.push(key.id);
        assert.equal(await this.inbox.complete({ key, token, now }), true);
      }
    }
    return ids;
  }
}
