import type { SealedSecret } from "../secrets/vault.ts";
import type { AttemptErrorCode } from "./egress/attempt-error.ts";
import type { DeliveryPolicy } from "./policy.ts";

/** A subscription as the delivery engine knows it. Exactly one process at a time leases it and posts to it. */
export interface Endpoint {
  /** The subscription's key. */
  readonly key: string;
  readonly merchantId: string;
  readonly clockId: string;
  readonly url: string;
  readonly secret: SealedSecret;
}

/** A delivery whose time has come, as it was read. */
export interface DueDelivery {
  readonly id: string;
  readonly eventId: string;
  /** Place in the order of insertion. */
  readonly seq: number;
  /** Time of the endpoint's clock, in milliseconds. */
  readonly nextAt: number;
  /** Completed attempts. An attempt that a crash cut short does not count. */
  readonly attempts: number;
  /** The text that is signed and sent. */
  readonly payload: string;
}

/** The result of one POST. Never an error: a merchant's address may do anything. */
export type Answer =
  | {
      readonly kind: "answered";
      readonly status: number;
      /** The `Retry-After` field as it arrived. */
      readonly retryAfter: string | undefined;
      /** `webhook-delivery: disable`: the receiver wants no further deliveries of its subscription. */
      readonly disables?: boolean;
      /** The answer went on where reading it ended. */
      readonly isCut?: boolean;
      /** The first 1 KiB of the body as text; invalid UTF-8 is replaced. */
      readonly excerpt: string;
      /** The answer's header fields. They are not stored. */
      readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
    }
  | { readonly kind: "unanswered"; readonly code: AttemptErrorCode };

/** One attempt that has ended. */
export interface Attempt {
  readonly endpoint: Endpoint;
  readonly delivery: DueDelivery;
  /** From 1. */
  readonly number: number;
  /** Wall time, in milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly answer: Answer;
}

export type DeliveryState = "waiting" | "delivered" | "exhausted" | "dropped";

/** The state of a delivery after an attempt. */
export interface Next {
  readonly state: DeliveryState;
  /** Due time of the next attempt on the endpoint's clock, in milliseconds, if `state` is `waiting`. */
  readonly nextAt: number | null;
}

/** An attempt with what becomes of its delivery. */
export interface Completion extends Next {
  readonly attempt: Attempt;
  /** True if the receiver is gone: the subscription ends. */
  readonly isGone: boolean;
  /** Time of the endpoint's clock, in milliseconds. */
  readonly at: number;
}

/** The network, as the engine needs it. */
export interface Transport {
  /** Makes one POST. Never rejects, and resolves by the transport's deadline. */
  post(request: PostRequest): Promise<Answer>;
  /** Ends open requests and connections. */
  close(): Promise<void>;
}

export interface PostRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as it is: these are the signed bytes. */
  readonly body: Uint8Array;
  /** Connections are shared by the deliveries of one merchant only. */
  readonly merchantId: string;
  readonly eventId: string;
}

/** A place in an endpoint's queue, which is ordered by due time, then by insertion. */
export interface Cursor {
  readonly nextAt: number;
  readonly seq: number;
}

/** A request to read an endpoint's queue. */
export interface ReadRequest {
  readonly endpoint: Endpoint;
  /** Only deliveries behind this place. */
  readonly after: Cursor;
}

/** An endpoint's queue as far as it was read. */
export interface ReadResult {
  readonly key: string;
  /** The instant of the endpoint's clock that the read compared with, in milliseconds. */
  readonly now: number;
  /** In the order of the queue. */
  readonly due: readonly DueDelivery[];
  /** Due time of the first delivery after `now`; `undefined` without one. */
  readonly nextAt: number | undefined;
  /** True if `due` is all that is due. */
  readonly isWhole: boolean;
}

/** A process that takes part in delivery. It is alive as long as its beat changes. */
export interface Member {
  readonly id: string;
  readonly beat: number;
  /** Endpoints that it leases. */
  readonly endpoints: number;
}

export interface CompletedGroup {
  /** The completions that changed their delivery; others lost to another process or were repeated. */
  readonly completed: readonly Completion[];
  /** Keys of the subscriptions that this group paused. */
  readonly paused: readonly string[];
}

/**
 * The database, as the engine needs it. Every method is one transaction or one read, and rejects with
 * `StoreUnavailableError` (`CS_STORE_UNAVAILABLE`) if the database did not answer; a write may be stored then.
 */
export interface DeliveryStore {
  /** Adds a process, and ends all others if the database knows that none of them lives. */
  join(id: string): Promise<void>;
  /** Writes a beat and the due clock. `members` lacks this process if another one has removed it. */
  beat(beat: { readonly id: string; readonly beat: number; readonly now: number }): Promise<{
    readonly members: readonly Member[];
    /** The latest due clock of all processes, in milliseconds. */
    readonly now: number;
  }>;
  /** Removes a process whose beat is still `beat`. Its leases are free from then on. */
  remove(member: { readonly id: string; readonly beat?: number }): Promise<void>;
  /**
   * Leases free endpoints of active subscriptions: those that are named, or those with a delivery due by `dueBy`. With
   * `own`, leases nothing and returns the endpoints that this process leases.
   *
   * @param wanted `clockId`: only endpoints of this clock.
   */
  take(
    id: string,
    wanted:
      | "own"
      | { readonly keys: readonly string[] }
      | { readonly dueBy: number; readonly most: number; readonly clockId?: string },
  ): Promise<Endpoint[]>;
  /** Gives leases back. */
  release(id: string, keys: readonly string[]): Promise<void>;
  /**
   * Reads the queues of endpoints; those whose subscription is not active have no result.
   *
   * @param bounds `now`: the due clock; `most`: deliveries of each endpoint.
   */
  read(
    requests: readonly ReadRequest[],
    bounds: { readonly now: number; readonly most: number },
  ): Promise<ReadResult[]>;
  /**
   * Records attempts and what becomes of their deliveries. A completion changes its delivery only if no other attempt of
   * that number is recorded.
   */
  complete(
    completions: readonly Completion[],
    policy: Pick<DeliveryPolicy, "pause">,
  ): Promise<CompletedGroup>;
}

/** Is called with each result of the engine's work: for logs, metrics and the sandbox's stream. */
export interface DeliveryObserver {
  /** An attempt is recorded. */
  attempted?(completion: Completion): void;
  /** A subscription failed often and long enough to be paused. */
  paused?(subscriptionKey: string): void;
  /** Wall time stepped by so many milliseconds. */
  clockStepped?(stepMs: number): void;
  /** The store did not answer; the engine tries again. */
  failed?(error: unknown): void;
}

/** New deliveries: the subscriptions' keys, and when they are due, in milliseconds. Or anything may be due. */
export type Work = readonly { readonly key: string; readonly at: number }[] | "anything";
