import type { Profile } from "@countersign/schemas/profiles";
import type { Dispatcher } from "undici";
import type { Sleep } from "./time.ts";

export interface IssuedToken {
  /** Token characters of RFC 6750, section 2.1. */
  readonly token: string;
  /** Milliseconds since the epoch. Without it the token is used until it is refused. */
  readonly expiresAt?: number | undefined;
}

/** Gets an access token elsewhere. The signal is aborted when no call waits for it. */
export type TokenProvider = (request: {
  readonly signal: AbortSignal;
}) => IssuedToken | Promise<IssuedToken>;

/** OAuth 2 client credentials, at the profile's token path (S 5.2). */
export interface ClientCredentials {
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** Requested scopes. Default: all scopes of the client. */
  readonly scopes?: readonly string[] | undefined;
  readonly token?: undefined;
}

/** An access token that was obtained elsewhere, or the function that obtains one. */
export interface OwnToken {
  readonly token: string | TokenProvider | undefined;
  readonly clientId?: undefined;
  readonly clientSecret?: undefined;
  readonly scopes?: undefined;
}

export interface Timeouts {
  /** Milliseconds for one attempt, from the connection to the last byte. Default 10 000. */
  readonly attemptMs?: number | undefined;
  /** Milliseconds for a call with all of its attempts and waits. Default 60 000. */
  readonly callMs?: number | undefined;
}

/** Retries of refunds (with the same `requestKey`), customers and unsubscribes; `subscribe` is never retried. */
export interface RetryOptions {
  /** Total number of attempts, 1 to 100. Default 5. */
  readonly attempts?: number | undefined;
  /** The longest wait before the second attempt, in milliseconds; each later one is twice as long. Default 250. */
  readonly baseMs?: number | undefined;
  /** The longest wait, in milliseconds. Default 8 000. */
  readonly maxMs?: number | undefined;
  /** The longest accepted `Retry-After` in milliseconds; a longer one fails the call at once. Default 30 000. */
  readonly retryAfterMs?: number | undefined;
}

export interface Limits {
  /** Bytes of an answer's body. Default 262 144. */
  readonly answerBytes?: number | undefined;
  /** Nesting of an answer's body, 1 to 1024. Default 16. */
  readonly depth?: number | undefined;
  /** Maximum of open connections. Default 16. */
  readonly connections?: number | undefined;
}

export interface CommonOptions {
  /** `https://HOST[:PORT][/PREFIX]`; http only to this machine, unless `allowHttp`. */
  readonly baseUrl: string | undefined;
  /** A built-in profile by its name, or a profile's document. Default `'standard'`. */
  readonly profile?: string | Profile | undefined;
  readonly timeouts?: Timeouts | undefined;
  readonly retry?: RetryOptions | undefined;
  readonly limits?: Limits | undefined;
  /** True to send tokens and secrets without TLS to any host. Default false. */
  readonly allowHttp?: boolean | undefined;
  /** The caller's own connections, such as undici's `ProxyAgent`; `close` leaves it open. Default: the client's own pool. */
  readonly dispatcher?: Dispatcher | undefined;
  /** The clock, in milliseconds since the epoch. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Waits and deadlines. Default: this machine's timers. */
  readonly sleep?: Sleep | undefined;
  /** A number from 0 to 1, 1 excluded. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

export type ClientOptions = CommonOptions & (ClientCredentials | OwnToken);

/** Of one call. */
export interface CallOptions {
  /** Ends the call; it rejects with `CS_CALL_ABORTED`. */
  readonly signal?: AbortSignal | undefined;
  /** Overrides `timeouts.callMs`. */
  readonly timeoutMs?: number | undefined;
}
