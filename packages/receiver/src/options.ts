import type { HeadersLike, Secret } from "@countersign/signatures";
import type { Catalogue } from "@countersign/schemas";
import type { Profile } from "@countersign/schemas/profiles";
import type { UnknownEvent } from "./envelope.ts";
import type { Backoff } from "./inbox/backoff.ts";
import type { ContextOf, Handler } from "./handler.ts";
import type { Inbox } from "./inbox/inbox.ts";
import type { Outcome } from "./outcome.ts";
import type { ReceiverLimits } from "./receiver-parts.ts";
import type { Respond } from "./respond.ts";
import type { WorkerFacts } from "./inbox/worker.ts";

/** The types of a catalogue's events by their names. */
export type EventTypes = Readonly<Record<string, { readonly category: string }>>;

/** What `secrets` is asked with. Nothing of the body: it is not verified yet. */
export interface SecretsRequest {
  readonly headers: HeadersLike;
  readonly path: string | undefined;
}

/** Secrets for one attempt; with several tenants, the tenant that they belong to. */
export type SecretsAnswer =
  | readonly Secret[]
  | { readonly tenant: string; readonly secrets: readonly Secret[] };

export type SecretsOption =
  | readonly (Secret | undefined)[]
  | ((request: SecretsRequest) => SecretsAnswer | Promise<SecretsAnswer>);

/** How stored events are handled, with `acknowledge: 'after-store'`. */
export interface WorkerOptions {
  /** Events that are handled at once, below the pool's size of a `postgresInbox`. Default 16, or as many as the pool allows. */
  readonly concurrency?: number;
  /** Attempts after which an event is dead. Default 10. */
  readonly maxAttempts?: number;
  /** How long a failed event waits. Default `exponentialBackoff()`. */
  readonly backoff?: Backoff;
  /** How often the inbox is asked for what became due, in milliseconds. Default 1,000. */
  readonly pollMs?: number;
}

/** What `onOutcome` is told beside an outcome. */
export interface OutcomeFacts {
  /** From the attempt's arrival, or the worker's take, to the outcome, in milliseconds. */
  readonly durationMs: number;
  /** Only where a worker handled a stored event. */
  readonly worker?: WorkerFacts;
}

export interface ReceiverOptions<Types, InboxType extends Inbox = Inbox> {
  /**
   * Active secrets, 1 to 4; all are tried, so that one can be replaced without refusing an attempt.
   * `undefined` is a `TypeError`: it is an environment variable that is not set.
   * Or a function that finds them for an attempt, and the tenant they belong to; an empty list
   * refuses the attempt with 401. Whatever it throws is answered 503.
   */
  readonly secrets: SecretsOption;
  /** Handles every event without a handler of its own, also of types that this version does not know. */
  readonly fallback: Handler<UnknownEvent, ContextOf<InboxType>>;
  /** What the interface leaves open: a built-in name or a document. Default `'standard'`. */
  readonly profile?: "standard" | "x-signature" | Profile;
  /** Another provider's events. Default: those of the profile, validated and typed for the standard one. */
  readonly catalogue?: Catalogue<Types>;
  /** The record of events. Default `memoryInbox()`, which is for development. */
  readonly inbox?: InboxType;
  /**
   * When an event is acknowledged: after its handler has succeeded, or once it is stored durably and
   * a worker of `receiver.start()` handles it. `'after-store'` needs a durable inbox. Default `'after-handler'`.
   */
  readonly acknowledge?: "after-handler" | "after-store";
  /** Only with `acknowledge: 'after-store'`. */
  readonly workers?: WorkerOptions;
  /**
   * `'per-resource'`: events of one resource are handled one at a time, and one that is older than the
   * last handled one of its resource is `superseded`: by the rank of its type where both have one,
   * else by its timestamp; ties run. Default `'none'`.
   */
  readonly order?: "none" | "per-resource";
  /**
   * A known id with another body: `'conflict'` refuses it with 409, `'duplicate'` is for senders that
   * print a body anew for each attempt. Default `'conflict'`.
   */
  readonly onIdReuse?: "conflict" | "duplicate";
  /**
   * How long a settled event is remembered, in milliseconds; not shorter than the profile's retry
   * schedule, since a retry that comes later would run its handler again. Default 30 days.
   */
  readonly retention?: number;
  /** How long a claim holds, in milliseconds, more than `limits.handlerMs`. Default 60,000. */
  readonly lease?: number;
  /** Default `{ bodyBytes: 1048576, bodyMs: 10000, depth: 16, handlerMs: 10000, concurrentHandlers: 16 }`. */
  readonly limits?: Partial<ReceiverLimits>;
  /** Maps an outcome to an answer. Default `defaultRespond`. */
  readonly respond?: Respond;
  /** The receiver's clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
  /** Sees every outcome, also rejections. What it throws changes nothing. */
  readonly onOutcome?: (outcome: Outcome, facts: OutcomeFacts) => void;
}
