import type { ResourceState } from "@countersign/rules";
import type { Awaitable } from "../awaitable.ts";

/** What an event is known by. Both parts are signed or the receiver's own: no tenant can claim another's event. */
export interface EventKey {
  /** The tenant that `secrets` named; `''` where it names none. */
  readonly tenant: string;
  /** The event's signed id. */
  readonly id: string;
}

/** The resource that an event is about, and the state that the event tells of it. */
export interface EventResource {
  /** The resource's name within its tenant. */
  readonly name: string;
  /** How far along its life the state stands, where its type has a rank. */
  readonly rank?: number | undefined;
  /** When the event happened, in milliseconds since 1970; NaN where the sender's text is no time. */
  readonly timestamp: number;
}

/** An event as an inbox records it. */
export interface RecordedEvent {
  readonly key: EventKey;
  /** SHA-256 of the body's bytes, base64url: a known key with another body is never a silent duplicate. */
  readonly digest: string;
  readonly type: string;
  /** Where it is given, at most one event of the resource is claimed at a time. */
  readonly resource?: EventResource | undefined;
}

export interface ClaimRequest extends RecordedEvent {
  /** How long the claim holds, in milliseconds. */
  readonly leaseMs: number;
  /** The receiver's clock, in milliseconds since 1970. */
  readonly now: number;
  /** True: another digest is no conflict, for senders that print a body anew. Default false. */
  readonly anyBody?: boolean | undefined;
}

/**
 * The answer to a claim.
 *
 * - `claimed`: the caller, and no one else, may run the handler until the lease ends. `token` fences its settlement.
 * - `busy`: another claim of the event, or of its resource, holds until `until` (milliseconds since 1970).
 * - `handled`: a handler succeeded before.
 * - `conflict`: the key is known with another body.
 */
export type Claim =
  | { readonly state: "claimed"; readonly token: number }
  | { readonly state: "busy"; readonly until: number }
  | { readonly state: "handled" }
  | { readonly state: "conflict" };

export interface Settlement {
  readonly key: EventKey;
  /** From the claim. A settlement whose token is no longer current changes nothing. */
  readonly token: number;
  readonly now: number;
}

export interface Completion extends Settlement {
  /** True: nothing ran, since a newer event of the resource was handled before. Default false. */
  readonly superseded?: boolean | undefined;
}

/**
 * The receiver's record of events. Every call is atomic: of any number of simultaneous claims of one
 * key, one is `claimed`. A call that throws or rejects (the store is away) fails the attempt, and the
 * sender tries again. An inbox that knows at once answers at once; any other returns promises.
 *
 * `claim`, `complete` and `release` are enough for `acknowledge: 'after-handler'`. The rest is for
 * the options that name it; `inboxConformance` of `@countersign/receiver/testing` proves all of it.
 */
export interface Inbox {
  /** Whether events outlive the process. `acknowledge: 'after-store'` needs it. */
  readonly durable: boolean;
  /** How long the inbox remembers a handled event by itself, in milliseconds; absent where `purge` alone forgets. */
  readonly retentionMs?: number;
  /** The most handlers at once, where the inbox bounds them: a pool's size less one. */
  readonly maxConcurrentHandlers?: number;
  claim(request: ClaimRequest): Awaitable<Claim>;
  /** Records that the handler succeeded. False where the claim was lost meanwhile. */
  complete(settlement: Completion): Awaitable<boolean>;
  /** Frees the event for the sender's next attempt. False where the claim was lost meanwhile. */
  release(settlement: Settlement): Awaitable<boolean>;
  /** The state that the last handled event of a resource told. Needed by `order: 'per-resource'`. */
  lastHandled?(resource: {
    readonly tenant: string;
    readonly name: string;
  }): Awaitable<ResourceState | undefined>;
  /**
   * Forgets events that were settled before `before` (milliseconds since 1970), at most `limit` of
   * them; returns how many. A stored event that is not handled is never forgotten, nor a dead one.
   */
  purge?(request: { readonly before: number; readonly limit: number }): Awaitable<number>;
  /** What `acknowledge: 'after-store'` works with. */
  readonly queue?: InboxQueue;
}

export interface StoreRequest extends RecordedEvent {
  /** The signed bytes, as text: strict JSON is UTF-8. */
  readonly body: string;
  readonly now: number;
  readonly anyBody?: boolean | undefined;
}

/** `stored`: durably kept, now or before. `busy`: an attempt of `after-handler` is handling it. `handled` and `conflict` as in a claim. */
export type Stored = "stored" | "busy" | "handled" | "conflict";

export interface TakeRequest {
  readonly limit: number;
  readonly leaseMs: number;
  readonly now: number;
  /** An event whose last lease ended without a settlement is dead after as many. */
  readonly maxAttempts: number;
}

/** A stored event that the caller, and no one else, may handle until its lease ends. */
export interface TakenEvent extends RecordedEvent {
  readonly body: string;
  readonly token: number;
  /** This attempt's number, from 1. */
  readonly attempts: number;
}

export interface Failure extends Settlement {
  /** From the taken event. */
  readonly attempts: number;
  readonly maxAttempts: number;
  /** When the next attempt is due, in milliseconds since 1970. */
  readonly retryAt: number;
  /** A code and the error's message, for whoever looks at a dead event. */
  readonly reason: string;
}

/** An event that was given up. */
export interface DeadEvent {
  readonly key: EventKey;
  readonly type: string;
  readonly attempts: number;
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly diedAt: number;
}

/** Stored events that wait for a worker, shared by any number of processes. Every call is atomic. */
export interface InboxQueue {
  /** Resolves when the event is durable; a known key changes nothing. */
  store(request: StoreRequest): Promise<Stored>;
  /** Claims events that are due, the longest due first, at most one of each resource. */
  take(request: TakeRequest): Promise<readonly TakenEvent[]>;
  /** Records a failed attempt: `waiting` until `retryAt`, or `dead`. `undefined` where the claim was lost meanwhile. */
  fail(failure: Failure): Promise<"waiting" | "dead" | undefined>;
  /** Dead events, the latest first. */
  dead(request: { readonly limit: number }): Promise<readonly DeadEvent[]>;
  /** Makes a dead event due now, with new attempts. False where there is no such dead event. */
  retry(request: { readonly key: EventKey; readonly now: number }): Promise<boolean>;
}

/** A claimed event's transaction: what its handler writes and "handled" are committed together. */
export interface InboxTransaction<Transaction> {
  /** What the handler gets as `context.transaction`. Nothing is begun before its first use. */
  readonly transaction: Transaction;
  /**
   * Commits the handler's writes with the fenced completion. It rejects where the store went away:
   * then both may be committed or neither, and the next claim of the event tells.
   */
  commit(now: number): Promise<Commit>;
  /** Undoes what the handler wrote; never rejects. */
  rollback(): Promise<void>;
}

/**
 * - `committed`: the writes and the completion.
 * - `lost`: the claim was; nothing is written.
 * - `failed`: the handler's writes failed; nothing is written, and the claim is still held.
 */
export type Commit =
  | { readonly state: "committed" }
  | { readonly state: "lost" }
  | { readonly state: "failed"; readonly error: unknown };

/** An inbox in whose database handlers write. */
export interface TransactionalInbox<Transaction> extends Inbox {
  begin(claim: BeginRequest): InboxTransaction<Transaction>;
}

export interface BeginRequest {
  readonly key: EventKey;
  /** From the claim. */
  readonly token: number;
  /** How long the claim is valid, in milliseconds: no statement of its handler runs for longer. */
  readonly leaseMs: number;
}
