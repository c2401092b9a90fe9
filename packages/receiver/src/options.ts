import type { Catalogue } from "@countersign/schemas";
import type { HeadersLike, Secret } from "@countersign/signatures";
import type { Inbox } from "./inbox/inbox.ts";
import type { FailureLogger } from "./pipeline/failure-log.ts";
import type { Outcome, OutcomeFacts } from "./pipeline/outcome.ts";
import type { ReceiverLimits } from "./pipeline/parts.ts";
import type { Respond } from "./pipeline/respond.ts";
import type { ContextOf, Fallback } from "./pipeline/router.ts";
import type { TypedProvider } from "./provider.ts";

/** Wait of a failed event, in milliseconds, after its attempt with this number (from 1). */
export type Backoff = (attempts: number) => number;

const [BASE_MS, FACTOR, MAX_MS] = [5000, 4, 21_600_000];

/**
 * The default: waits that grow fourfold from 5 s to 6 hours, each between half of its longest and its longest, so that
 * events which failed together don't come back together. Ten attempts take 10 to 20 hours.
 */
export function defaultBackoff(attempts: number): number {
  const longest = Math.min(MAX_MS, BASE_MS * FACTOR ** (attempts - 1));
  return Math.round(longest * (0.5 + Math.random() / 2));
}

/** The argument of a `secrets` function. It has nothing of the body, which is not verified yet. */
export interface SecretsRequest {
  readonly headers: HeadersLike;
  /** The request's path, without its query. */
  readonly path: string | undefined;
}

/** A secret, or one with a label: the outcome's facts name the label of the secret that signed an attempt. */
export type GivenSecret = Secret | { readonly secret: Secret | undefined; readonly label: string };

/** The secrets of an attempt, with the tenant that they belong to. */
export interface TenantSecrets {
  /**
   * The only tenant that has these secrets: well-formed text without NUL. `''` if several tenants share a secret: then
   * only the sender's unsigned words say whose event it is, and such a name must not be a part of an event's key.
   */
  readonly tenant: string;
  readonly secrets: readonly GivenSecret[];
}

export type SecretsOption =
  | readonly (GivenSecret | undefined)[]
  | ((request: SecretsRequest) => TenantSecrets | Promise<TenantSecrets>);

/** The treatment of an event whose signed bytes are known under another id that the sender did not sign. */
export type Replay = "report" | "refuse";

/** Handling of stored events, with `acknowledge: 'after-store'`. */
export interface WorkerOptions {
  /** Events handled concurrently. Default 16; with `postgresInbox` at most the pool's size − 1. */
  readonly concurrency?: number;
  /** Attempts after which an event is dead. Default 10. */
  readonly maxAttempts?: number;
  /** The wait after a failed attempt. Default: from 5 s fourfold up to 6 hours, each cut by up to half at random. */
  readonly backoff?: Backoff;
  /** Time between two looks for due events, in milliseconds. Default 1,000. */
  readonly pollMs?: number;
}

export interface ReceiverOptions<Types, InboxType extends Inbox = Inbox> {
  /** The sender's document, such as `stripe` of `@countersign/receiver/providers`, or one of your own. */
  readonly provider: TypedProvider<Types>;
  /**
   * 1 to 4 secrets; all are tried, so that one can be replaced without refusing an attempt.
   * `undefined` is a `TypeError`: an environment variable is not set.
   * Or a function that finds an attempt's tenant and its secrets: an empty list refuses the attempt
   * with 401, an error answers 503. Not needed if the provider's keys come from `keyOf` only.
   */
  readonly secrets?: SecretsOption;
  /** Handles every event without its own handler, including types that this version does not know. */
  readonly fallback: Fallback<ContextOf<InboxType>>;
  /** Types and validators of the events, as `countersign types --validators` writes them. */
  readonly catalogue?: Catalogue<Types>;
  /**
   * Runs only live events, or only those of a test mode; others are acknowledged. An event that does not say its mode is
   * refused with `CS_EVENT_ENVELOPE`, so that it is neither run nor lost unseen. Default `'both'`.
   */
  readonly mode?: "live" | "test" | "both";
  /**
   * An event whose body does not fit its schema: refuse it with 422, or run it and report. Default `'refuse'` for the
   * reference interfaces, `'report'` for vendors, who add members and values without notice.
   */
  readonly validate?: "report" | "refuse";
  /** A known id with another body: acknowledge it as a duplicate, or refuse it with 409. Default `'duplicate'`. */
  readonly onIdReuse?: "duplicate" | "conflict";
  /**
   * For events whose id is not signed, or that have none and are never retried: equal signed bytes under another id run
   * and are reported, or are duplicates; for all types or for each one. Default `'report'`: with `'refuse'` honest
   * events with equal bytes collapse into one.
   */
  readonly replay?: Replay | Readonly<Record<string, Replay>>;
  /** The public URL of this endpoint, for providers that sign it. The query is the request's; `Host` is never read. */
  readonly url?: string;
  /** The token that an unsigned handshake must carry, chosen by you in the provider's dashboard. */
  readonly verifyToken?: string;
  /**
   * Finds the key that an attempt names, such as a certificate's address or a key's id: PEM, or a JWK as text or as an
   * object; `undefined` or `null` if it is unknown. The receiver has checked the value, and caches a key that has verified
   * an attempt for an hour, any other answer for a minute. An error answers 503. Strangers can name keys too: new names
   * are looked up 20 at once, then one a second, and the others answered 503.
   */
  readonly keyOf?: (value: string) => Promise<string | object | null | undefined>;
  /** Values of the provider's own claims, such as LiveKit's API key. */
  readonly claims?: Readonly<Record<string, string>>;
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
  /** Time for which a handled event is remembered, in ms; at least as long as the sender retries. Default 30 days. */
  readonly retention?: number;
  /** The longest run of a handler, in milliseconds; more than `limits.answerMs`. Default 60,000. */
  readonly lease?: number;
  /**
   * Default `{ bodyBytes: 1048576, bodyMs: 10000, depth: 64, concurrentHandlers: 256, bytesInFlight: 67108864 }`
   * and the provider's deadline − 1 s for `answerMs`; `depth` is 16 for the payment interface. `bodyBytes` is larger for a provider that documents larger bodies. With `postgresInbox`, `concurrentHandlers` is at most
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
   * Explains in the log why a signature is refused, at most once a second and from the body's first 64 KiB.
   * Default: unless `NODE_ENV` is `production`.
   */
  readonly explain?: boolean;
  /** The wall clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}
