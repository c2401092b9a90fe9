import type { Catalogue } from "@countersign/schemas";
import type { Profile } from "@countersign/schemas/profiles";
import type { HeadersLike, Secret } from "@countersign/signatures";
import type { Backoff } from "./inbox/backoff.ts";
import type { Inbox } from "./inbox/inbox.ts";
import type { UnknownEvent } from "./pipeline/envelope.ts";
import type { FailureLogger } from "./pipeline/failure-log.ts";
import type { OutcomeFacts } from "./pipeline/observe.ts";
import type { Outcome } from "./pipeline/outcome.ts";
import type { ReceiverLimits, TenantSecrets } from "./pipeline/parts.ts";
import type { Respond } from "./pipeline/respond.ts";
import type { ContextOf, Handler } from "./pipeline/router.ts";

/** The types of a catalogue's events by their names. */
export type EventTypes = Readonly<Record<string, { readonly category: string }>>;

/** The argument of a `secrets` function. Nothing of the body: it is not verified yet. */
export interface SecretsRequest {
  readonly headers: HeadersLike;
  readonly path: string | undefined;
}

export type SecretsOption =
  | readonly (Secret | undefined)[]
  | ((request: SecretsRequest) => TenantSecrets | Promise<TenantSecrets>);

/** Handling of stored events, with `acknowledge: 'after-store'`. */
export interface WorkerOptions {
  /** Events that are handled at once, below the pool's size of a `postgresInbox`. Default 16, or as many as the pool allows. */
  readonly concurrency?: number;
  /** Attempts after which an event is dead. Default 10. */
  readonly maxAttempts?: number;
  /** The wait after a failed attempt. Default `exponentialBackoff()`. */
  readonly backoff?: Backoff;
  /** How often the inbox is asked for due events, in milliseconds. Default 1,000. */
  readonly pollMs?: number;
}

export interface ReceiverOptions<Types, InboxType extends Inbox = Inbox> {
  /**
   * Active secrets, 1 to 4; all are tried, so that one can be replaced without refusing an attempt.
   * `undefined` is a `TypeError`: an environment variable is not set.
   * Or a function that finds an attempt's tenant and its secrets; an empty list refuses the attempt
   * with 401. If it throws, the attempt is answered 503.
   */
  readonly secrets: SecretsOption;
  /** Handles every event without its own handler, including types that this version does not know. */
  readonly fallback: Handler<UnknownEvent, ContextOf<InboxType>>;
  /** Every choice that the interface leaves open: a built-in name or a document. Default `'standard'`. */
  readonly profile?: "standard" | "x-signature" | Profile;
  /** Another provider's events. Default: those of the profile, validated and typed for the standard one. */
  readonly catalogue?: Catalogue<Types>;
  /** The record of events, one for each service. Default `memoryInbox()`, which is for development and warns. */
  readonly inbox?: InboxType;
  /**
   * When an event is acknowledged: after its handler has succeeded, or once it is stored durably and
   * a worker of `receiver.start()` handles it. `'after-store'` needs SQLite or PostgreSQL. Default `'after-handler'`.
   */
  readonly acknowledge?: "after-handler" | "after-store";
  /** Only with `acknowledge: 'after-store'`. */
  readonly workers?: WorkerOptions;
  /**
   * `'per-resource'`: events of one resource are handled one at a time, and one that is older than the
   * last handled one of its resource is `superseded`: by the rank of its type if both have one,
   * else by its timestamp; ties run. Default `'none'`.
   */
  readonly order?: "none" | "per-resource";
  /**
   * A known id with another body: `'conflict'` refuses it with 409, `'duplicate'` is for senders that
   * print a body anew for each attempt. Default `'conflict'`.
   */
  readonly onIdReuse?: "conflict" | "duplicate";
  /**
   * How long a completed event is remembered, in milliseconds; not shorter than the profile's retry
   * schedule, since a later retry would run its handler again. Default 30 days.
   */
  readonly retention?: number;
  /**
   * How long a claim is valid, in milliseconds, more than `limits.answerMs`: a handler may run this
   * long. Default 60,000.
   */
  readonly lease?: number;
  /**
   * Default `{ bodyBytes: 1048576, bodyMs: 10000, depth: 16, concurrentHandlers: 256, bytesInFlight: 67108864 }`,
   * and for `answerMs` the sender's timeout less one second. `postgresInbox` lowers `concurrentHandlers`
   * to the pool's size less one.
   */
  readonly limits?: Partial<ReceiverLimits>;
  /** Maps an outcome to an answer. Default `defaultRespond`. */
  readonly respond?: Respond;
  /** Observes every outcome, including rejections. An error that it throws is logged. */
  readonly onOutcome?: (outcome: Outcome, facts: OutcomeFacts) => void;
  /** Reports failures: default on stderr; `false`, or a logger such as `console`. */
  readonly log?: false | FailureLogger;
  /**
   * True: explains in the log why a signature is refused ("your secret is right, but the JSON was
   * printed again"). For development: it reads the bodies of strangers and takes time. Default false.
   */
  readonly explain?: boolean;
  /** The wall clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}
