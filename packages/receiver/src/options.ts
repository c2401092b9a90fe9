import type { Catalogue } from "@countersign/schemas";
import type { Profile } from "@countersign/schemas/profiles";
import type { HeadersLike, Secret } from "@countersign/signatures/stated";
import type { Inbox } from "./inbox/inbox.ts";
import type { UnknownEvent } from "./pipeline/envelope.ts";
import type { FailureLogger } from "./pipeline/failure-log.ts";
import type { OutcomeFacts } from "./pipeline/observe.ts";
import type { Outcome } from "./pipeline/outcome.ts";
import type { ReceiverLimits, TenantSecrets } from "./pipeline/parts.ts";
import type { Respond } from "./pipeline/respond.ts";
import type { ContextOf, Handler } from "./pipeline/router.ts";

/** Wait of a failed event, in milliseconds, after its attempt with this number (from 1). */
export type Backoff = (attempts: number) => number;

export interface ExponentialBackoffOptions {
  /** The longest wait after the first attempt, in milliseconds. Default 5,000. */
  readonly baseMs?: number;
  /** Factor of each further wait. Default 4. */
  readonly factor?: number;
  /** The longest wait of all, in milliseconds. Default 6 hours. */
  readonly maxMs?: number;
  /** A number from 0 to 1, 1 excluded. Default `Math.random`. */
  readonly random?: () => number;
}

const SIX_HOURS_MS = 21_600_000;

/**
 * Waits that grow exponentially, each between half of its longest and its longest, so that events
 * which failed together don't come back together. By default ten attempts take 10 to 20 hours.
 *
 * @throws {TypeError} a number is not positive, or `factor` is below 1.
 */
export function exponentialBackoff(options: ExponentialBackoffOptions = {}): Backoff {
  const { baseMs = 5000, factor = 4, maxMs = SIX_HOURS_MS, random = Math.random } = options;
  for (const [name, value] of Object.entries({ baseMs, factor, maxMs }))
    if (!Number.isFinite(value) || value < 1)
      throw new TypeError(`exponentialBackoff: "${name}" must be a number of 1 or more`);
  return (attempts) => {
    const longest = Math.min(maxMs, baseMs * factor ** (attempts - 1));
    return Math.round(longest * (0.5 + random() / 2));
  };
}

/** The argument of a `secrets` function. It has nothing of the body, which is not verified yet. */
export interface SecretsRequest {
  readonly headers: HeadersLike;
  readonly path: string | undefined;
}

export type SecretsOption =
  | readonly (Secret | undefined)[]
  | ((request: SecretsRequest) => TenantSecrets | Promise<TenantSecrets>);

/** Handling of stored events, with `acknowledge: 'after-store'`. */
export interface WorkerOptions {
  /** Events handled concurrently. Default 16; with `postgresInbox` at most the pool's size − 1. */
  readonly concurrency?: number;
  /** Attempts after which an event is dead. Default 10. */
  readonly maxAttempts?: number;
  /** The wait after a failed attempt. Default `exponentialBackoff()`. */
  readonly backoff?: Backoff;
  /** Time between two looks for due events, in milliseconds. Default 1,000. */
  readonly pollMs?: number;
}

export interface ReceiverOptions<Types, InboxType extends Inbox = Inbox> {
  /**
   * 1 to 4 secrets; all are tried, so that one can be replaced without refusing an attempt.
   * `undefined` is a `TypeError`: an environment variable is not set.
   * Or a function that finds an attempt's tenant and its secrets: an empty list refuses the attempt
   * with 401, an error answers 503.
   */
  readonly secrets: SecretsOption;
  /** Handles every event without its own handler, including types that this version does not know. */
  readonly fallback: Handler<UnknownEvent, ContextOf<InboxType>>;
  /** Every choice that the interface leaves open: a built-in name or a document. Default `'standard'`. */
  readonly profile?: "standard" | "x-signature" | Profile;
  /** Another provider's events. Default: those of the profile, validated and typed for the standard one. */
  readonly catalogue?: Catalogue<Types>;
  /** The record of events, one per service. Default `memoryInbox()`, which is for development and warns. */
  readonly inbox?: InboxType;
  /**
   * When an event is acknowledged: after its handler has succeeded, or once it is stored durably and a
   * worker of `receiver.start()` handles it (SQLite and PostgreSQL). Default `'after-handler'`.
   */
  readonly acknowledge?: "after-handler" | "after-store";
  /** The workers of stored events; needs `acknowledge: 'after-store'`. */
  readonly workers?: WorkerOptions;
  /**
   * `'per-resource'`: events of one resource are handled one at a time, and one older than the last
   * handled one is `superseded`: by the rank of its type if both have one, else by its timestamp; ties
   * run. Default `'none'`.
   */
  readonly order?: "none" | "per-resource";
  /**
   * A known id with another body: acknowledge it as a duplicate, or refuse it with 409. Default `'duplicate'`: honest
   * retries differ where a body holds a counter or an endpoint's own version.
   */
  readonly onIdReuse?: "duplicate" | "conflict";
  /** Time for which a handled event is remembered, in ms; at least the profile's retry schedule. Default 30 days. */
  readonly retention?: number;
  /** The longest run of a handler, in milliseconds; more than `limits.answerMs`. Default 60,000. */
  readonly lease?: number;
  /**
   * Default `{ bodyBytes: 1048576, bodyMs: 10000, depth: 16, concurrentHandlers: 256, bytesInFlight: 67108864 }`
   * and the sender's timeout − 1 s for `answerMs`. With `postgresInbox`, `concurrentHandlers` is at most
   * the pool's size − 1.
   */
  readonly limits?: Partial<ReceiverLimits>;
  /** Maps an outcome to an answer. Default `defaultRespond`. */
  readonly respond?: Respond;
  /** Observes every outcome, including rejections. An error that it throws is logged. */
  readonly onOutcome?: (outcome: Outcome, facts: OutcomeFacts) => void;
  /** Reports failures: `false`, or a logger such as `console`. Default: stderr. */
  readonly log?: false | FailureLogger;
  /**
   * Explains in the log why a signature is refused, for development: it reads the bodies of strangers and
   * takes time. Default false.
   */
  readonly explain?: boolean;
  /** The wall clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}
