import type { ResourceState } from "@countersign/rules";

// Times are in milliseconds since 1970.

/** The identity of an event. Several receivers share an inbox: equal ids of two providers or tenants never meet. */
export interface EventKey {
  /** The name of the provider's document: lower-case letters, digits and hyphens. */
  readonly provider: string;
  /** The tenant that `secrets` named; `''` without tenants. */
  readonly tenant: string;
  /** The text that identifies the event, as its provider's document says: a signed id, or an id with the type. */
  readonly id: string;
}

/** The resource that an event is about, and the state that the event reports. */
export interface EventResource {
  /** The resource's name within its provider and tenant. */
  readonly name: string;
  /** The state's place in the resource's life, if the event's type has a rank. */
  readonly rank?: number | undefined;
  /** When the event happened; NaN if the sender's text is not a time. */
  readonly timestamp: number;
}

/** An event as an inbox records it. */
export interface RecordedEvent {
  readonly key: EventKey;
  /** SHA-256 of the signed bytes, base64url. */
  readonly digest: string;
  readonly type: string;
  /** Present with `order: 'per-resource'`: at most one event of the resource is claimed at a time. */
  readonly resource?: EventResource | undefined;
}

/** The treatment of an event that is recorded already. */
export interface Comparison {
  /** A known key with another digest: a duplicate, marked `bodyDiffers`, or a conflict. Default `'duplicate'`. */
  readonly onIdReuse?: "duplicate" | "conflict" | undefined;
  /**
   * Another key of the provider and tenant with the same digest, recorded with this option too: the event runs
   * and is marked `sameBytesAs`, or is a duplicate. Without it, digests are not compared.
   */
  readonly sameBytes?: "report" | "refuse" | undefined;
  /**
   * A handled event is known only if it ended at this time or later; one that ended before is recorded anew. For events
   * that only their bytes identify, which a sender may honestly repeat. Default: all are known.
   */
  readonly knownSince?: number | undefined;
}

export interface ClaimRequest extends RecordedEvent, Comparison {
  /** Validity of the claim, in milliseconds. */
  readonly leaseMs: number;
  /** The receiver's clock. */
  readonly now: number;
}

/** An event that needs no handler, since it was recorded before. Nothing is written for it. */
export interface Known {
  readonly state: "handled";
  /** `bytes` only with `sameBytes: 'refuse'`. */
  readonly by: "id" | "bytes";
  /** The event that was recorded first, and when. */
  readonly first: { readonly id: string; readonly seenAt: number };
  /** True if the first one has another digest. */
  readonly bodyDiffers: boolean;
}

/** The id of another event with the same digest, with `sameBytes: 'report'`. Of simultaneous ones at most one has none. */
interface SameBytes {
  readonly sameBytesAs?: string | undefined;
}

/**
 * The answer to a claim.
 *
 * - `claimed`: the caller, and no one else, may run the handler until the lease ends. `token` fences the claim's end.
 * - `busy`: another claim of the event, or of another event of its resource, is valid until then. With
 *   `sameBytes: 'refuse'`, also that of an event with the same digest: of simultaneous ones, one is claimed.
 * - `handled`: a handler succeeded before, or another event with the same digest is stored for workers.
 * - `conflict`: the key is known with another digest, with `onIdReuse: 'conflict'`.
 */
export type Claim =
  | ({ readonly state: "claimed"; readonly token: number } & SameBytes)
  | { readonly state: "busy"; readonly until: number }
  | Known
  | { readonly state: "conflict" };

/** The end of a claim. An outdated token changes nothing. */
export interface Settlement {
  readonly key: EventKey;
  /** From the claim. */
  readonly token: number;
  readonly now: number;
}

export interface Completion extends Settlement {
  /** True: nothing ran, since a newer event of the resource was handled before. Default false. */
  readonly superseded?: boolean | undefined;
}

/** The identity of a resource. */
export interface ResourceKey extends Pick<EventKey, "provider" | "tenant"> {
  readonly name: string;
}

/**
 * The receiver's record of events. Every call is atomic: of any number of simultaneous claims of one
 * key, one is `claimed`. A call that rejects (the store is unavailable) fails the attempt, and the
 * sender tries again. Every call settles within seconds: one that never does keeps its attempt's place.
 *
 * `queue`, `find` and `recorded` are missing where the store cannot keep its word for them.
 */
export interface Inbox {
  /** The most handlers at once, if the inbox bounds them: a pool's size less one. */
  readonly maxConcurrentHandlers?: number;
  claim(request: ClaimRequest): Promise<Claim>;
  /** Records that the handler succeeded. False if the claim was lost meanwhile. */
  complete(completion: Completion): Promise<boolean>;
  /** Frees the event for the sender's next attempt. False if the claim was lost meanwhile. */
  release(settlement: Settlement): Promise<boolean>;
  /** The state that the last handled event of a resource reported. */
  lastHandled(resource: ResourceKey): Promise<ResourceState | undefined>;
  /**
   * Forgets events that ended before `before`, at most `limit` of them; returns how many. Stored events that are not
   * handled are kept, dead ones too.
   */
  purge(request: { readonly before: number; readonly limit: number }): Promise<number>;
  /** Stored events for workers. Needed by `acknowledge: 'after-store'`: it must survive a crash. */
  readonly queue?: InboxQueue;
  /** Returns the records of events, in the order of their keys. Needed by `receiver.reconcile`: they must survive a restart. */
  find?(keys: readonly EventKey[]): Promise<readonly (FoundEvent | undefined)[]>;
  /** Events of a tenant that were recorded first within a time, both ends included, in the order of their ids after `after`. */
  recorded?(
    request: Pick<EventKey, "provider" | "tenant"> & {
      readonly since: number;
      readonly until: number;
      /** `""` for the first ones. */
      readonly after: string;
      readonly limit: number;
    },
  ): Promise<readonly FoundEvent[]>;
}

/** A recorded event. */
export interface FoundEvent extends Pick<RecordedEvent, "key" | "type"> {
  /** `open`: neither handled nor given up. */
  readonly state: "handled" | "open" | "dead";
  /** True if its body is stored, so that workers handle it, or somebody makes it due again. */
  readonly isStored: boolean;
  /** When it was recorded first. */
  readonly seenAt: number;
}

export interface StoreRequest extends RecordedEvent, Comparison {
  /** The signed bytes, as text. */
  readonly body: string;
  /** JSON of what was read outside the body, so that a worker needs no headers. */
  readonly facts: string;
  readonly now: number;
}

/**
 * `stored`: durable, now or before. `handled`: also if it is stored with another digest and waits. `busy`: an attempt of
 * `after-handler` has it. The others are as in a claim.
 */
export type Stored =
  | ({ readonly state: "stored" } & SameBytes)
  | Exclude<Claim, { readonly state: "claimed" }>;

/** The retention and encryption of stored events' bodies. */
export interface StoredBodies {
  /**
   * Time for which the body of a handled event is kept, in milliseconds. Default 0: it is removed at once. Events that
   * wait and dead ones keep theirs; the receiver's `retention` is that of the keys.
   */
  readonly bodyRetentionMs?: number;
  /** Encrypts a body before it is stored. Needs `decrypt`. */
  readonly encrypt?: (body: string) => string | Promise<string>;
  /** Decrypts a stored body. If it fails, the event fails, is tried again, and is dead after its last attempt. */
  readonly decrypt?: (body: string) => string | Promise<string>;
}

export interface TakeRequest {
  /** The provider of the events: the receiver of another one cannot read them. */
  readonly provider: string;
  readonly limit: number;
  readonly leaseMs: number;
  readonly now: number;
  /** An event whose lease has ended is dead after this many attempts, once the last of them ran exclusively. */
  readonly maxAttempts: number;
}

/** A stored event that the caller, and no one else, may handle until its lease ends. */
export interface TakenEvent extends Pick<StoreRequest, "key" | "type" | "body" | "facts"> {
  /** The reason for which the body cannot be read; it is empty then. */
  readonly unreadable?: Error | undefined;
  readonly token: number;
  /** This attempt's number, from 1. */
  readonly attempts: number;
  /** True if nothing else may run in the process meanwhile: this event may be what ended others. */
  readonly exclusive?: boolean | undefined;
}

export interface Failure extends Settlement {
  /** From the taken event. */
  readonly attempts: number;
  readonly maxAttempts: number;
  /** When the next attempt is due. */
  readonly retryAt: number;
  /** A code and the error's message, for whoever looks at a dead event. */
  readonly reason: string;
}

/** An event that was given up. */
export interface DeadEvent extends Pick<TakenEvent, "key" | "type" | "attempts"> {
  readonly reason: string;
  readonly diedAt: number;
}

/** The stored events that are neither handled nor dead. */
export interface QueueStatus {
  readonly unhandled: number;
  /** Number of them that were due before the requested time. */
  readonly overdue: number;
  /** The one that was stored first. It can be taken at its next attempt, or at the end of its lease: `dueAt`. */
  readonly oldest?: Pick<DeadEvent, "key" | "type" | "attempts"> & {
    readonly storedAt: number;
    readonly dueAt: number;
  };
}

/**
 * Stored events that wait for a worker, shared by any number of processes. Every call is atomic.
 *
 * An event can be taken when it is due and, if it has a resource, when no older stored event of the
 * resource is unhandled. A dead event holds up no other.
 */
export interface InboxQueue {
  /** Resolves when the event is durable; a known key changes nothing. */
  store(request: StoreRequest): Promise<Stored>;
  /**
   * Claims events that can be taken, those first that were due first. It may return fewer than there are. An event
   * whose lease ended twice, or on its last attempt, is returned as the only one, with `exclusive`.
   */
  take(request: TakeRequest): Promise<readonly TakenEvent[]>;
  /** Records a failed attempt: `waiting` until `retryAt`, or `dead`. `undefined` if the claim was lost meanwhile. */
  fail(failure: Failure): Promise<"waiting" | "dead" | undefined>;
  /** Dead events, the latest first. */
  dead(request: { readonly limit: number }): Promise<readonly DeadEvent[]>;
  /**
   * Removes the body of an event, its facts and the reason of its failure, and keeps its key: a repeat is a
   * duplicate. An open or dead event is never handled. `busy`: a handler has the event.
   */
  erase(request: KeyRequest): Promise<"erased" | "busy" | "unknown">;
  /** Removes bodies of handled events that were kept for `bodyRetentionMs`, at most `limit`; returns how many. */
  dropBodies?(request: { readonly now: number; readonly limit: number }): Promise<number>;
  /** Makes a dead event due now, with new attempts, behind the stored events of its resource. False if no dead event has this key. */
  retry(request: KeyRequest): Promise<boolean>;
  /** Counts what is not handled. */
  status(request: { readonly dueBefore: number }): Promise<QueueStatus>;
}

interface KeyRequest {
  readonly key: EventKey;
  readonly now: number;
}
