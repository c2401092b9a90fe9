import type { Clock, DueClock } from "../clock.ts";
import type { Random } from "../random.ts";
import type { SealedSecret, Vault } from "../secrets/vault.ts";
import type { EndpointPolicy } from "./egress/addresses.ts";
import type { AttemptErrorCode } from "./egress/attempt-error.ts";
import type { DeliveryPolicy } from "./policy.ts";
import type { Signer } from "./signer.ts";

export interface EngineOptions {
  readonly store: DeliveryStore;
  readonly transport: Transport;
  readonly sign: Signer;
  /** Opens the secrets of subscriptions, which are in the clear nowhere else. */
  readonly vault: Pick<Vault, "open">;
  readonly endpoints: EndpointPolicy;
  /** Value of the `user-agent` header. */
  readonly userAgent: string;
  readonly policy: DeliveryPolicy;
  readonly clock: Clock;
  /** The clock that due times of live deliveries compare with. */
  readonly dueClock: DueClock;
  readonly random: Random;
  readonly observer?: DeliveryObserver;
}

/** A subscription whose deliveries are attempted. */
export interface Endpoint {
  /** The subscription's key. */
  readonly key: string;
  readonly merchantId: string;
  readonly clockId: string;
  readonly url: string;
  readonly secret: SealedSecret;
}

/** A place in a subscription's queue, which is ordered by due time, then by insertion. */
export interface Place {
  /** Time of the endpoint's clock, in milliseconds. */
  readonly nextAt: number;
  readonly seq: number;
}

/** A due delivery that this process has claimed. */
export interface ClaimedDelivery extends Place {
  readonly id: string;
  readonly eventId: string;
  /** Completed attempts. An attempt that a crash cut short does not count. */
  readonly attempts: number;
  /** Until when it is claimed, in milliseconds of the database's clock. Later if it is claimed again while in hand. */
  claimedUntil: number;
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
      /** The answer was longer than what was read of it. */
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
  readonly delivery: ClaimedDelivery;
  /** From 1. */
  readonly number: number;
  /** Wall time, in milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly answer: Answer;
}

/** An attempt whose delivery is `dropped` ends the subscription: its receiver is gone. */
export type DeliveryState = "waiting" | "delivered" | "exhausted" | "dropped";

/** The state of a delivery after an attempt, and when the next one is due, if it is `waiting`. */
export interface Next {
  readonly state: DeliveryState;
  readonly nextAt: number | null;
}

/** An attempt with what becomes of its delivery, to be recorded. */
export interface DecidedAttempt extends Next {
  readonly attempt: Attempt;
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
  /** The signed bytes. */
  readonly body: Uint8Array;
  /** Connections are shared by the deliveries of one merchant only. */
  readonly merchantId: string;
  readonly eventId: string;
}

/** The queue of a subscription, and the place of the first delivery in it that is due and not claimed. */
export interface DueQueue extends Pick<Endpoint, "key" | "merchantId" | "url"> {
  readonly first: Place;
}

/** A request for at most so many deliveries of one subscription, behind a place in its queue. */
export interface ClaimRequest {
  readonly key: string;
  readonly after: Place;
  readonly most: number;
}

/** The deliveries that a request has claimed, in the order of the queue. */
export interface ClaimedBatch {
  readonly endpoint: Endpoint;
  /** Time of the endpoint's clock at the claim, in milliseconds. */
  readonly instant: number;
  readonly deliveries: readonly ClaimedDelivery[];
}

/** The duration of a claim, and the due clock of this process. Both in milliseconds. */
export interface ClaimTimes {
  readonly now: number;
  readonly leaseMs: number;
}

export interface RecordedGroup {
  /** The attempts that changed their delivery; others lost to another process or were repeated. */
  readonly recorded: readonly DecidedAttempt[];
  /** Keys of the subscriptions that this group paused. */
  readonly paused: readonly string[];
}

/**
 * The database, as the engine needs it. Every method is one transaction or one read, and rejects with
 * `StoreUnavailableError` (`CS_STORE_UNAVAILABLE`) if the database did not answer; a write may be stored then.
 */
export interface DeliveryStore {
  /**
   * Stores the due clock, and returns the latest one of all processes. The first call also ends the claims of earlier
   * processes, if no other process can use the database.
   */
  keepTime(now: number): Promise<number>;
  /** Returns the queues of active subscriptions, of every clock, in which something is due and not claimed. */
  findDue(times: ClaimTimes): Promise<DueQueue[]>;
  /** The same for one namespace's clock, also if all that is due is claimed. */
  findDueOf(clockId: string): Promise<DueQueue[]>;
  /**
   * Claims due deliveries of active subscriptions (unknown ones have `undefined`): no other process claims one for `leaseMs`
   * by the database's clock, or until it is recorded or released.
   */
  claim(
    requests: readonly ClaimRequest[],
    times: ClaimTimes,
  ): Promise<readonly (ClaimedBatch | undefined)[]>;
  /** Ends claims whose attempts were not recorded, but none that another process has made since. */
  release(claims: readonly Pick<ClaimedDelivery, "id" | "claimedUntil">[]): Promise<void>;
  /**
   * Records attempts and what becomes of their deliveries, and ends their claims. An attempt changes its delivery only
   * if no other attempt of that number is recorded.
   */
  record(
    decided: readonly DecidedAttempt[],
    policy: Pick<DeliveryPolicy, "pause">,
  ): Promise<RecordedGroup>;
}

/** For logs, metrics and the sandbox's stream. */
export interface DeliveryObserver {
  /** An attempt is recorded. */
  attempted?(attempt: DecidedAttempt): void;
  /** A subscription failed often and long enough to be paused. */
  paused?(subscriptionKey: string): void;
  /** Wall time stepped by so many milliseconds. */
  clockStepped?(stepMs: number): void;
  /** The store did not answer; the engine tries again. */
  storeFailed?(error: unknown): void;
  /** An attempt met a fault of this program, and is made again when its claim ends. */
  attemptBroke?(error: unknown): void;
}

/** A new delivery: its subscription, and when it is due, in milliseconds. */
export interface NewWork extends Omit<DueQueue, "first"> {
  readonly at: number;
}

/** New deliveries; or `anything` may be due. */
export type Work = readonly NewWork[] | "anything";
