import { profiles, type Profile } from "@countersign/schemas/profiles";
import type { Dispatcher } from "undici";
import { systemSleep, type Sleep, type Time } from "./time.ts";

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

/** Options of one call. */
export interface CallOptions {
  /** Ends the call; it rejects with `CS_CALL_ABORTED`. */
  readonly signal?: AbortSignal | undefined;
  /** Overrides `timeouts.callMs`. */
  readonly timeoutMs?: number | undefined;
}

/** Validated options of a client, with every default filled in. */
export interface Settings {
  readonly origin: string;
  /** Before every path; empty or `/…` without a slash at its end. */
  readonly prefix: string;
  readonly profile: Profile;
  readonly timeouts: { readonly attemptMs: number; readonly callMs: number };
  readonly retry: RetryPolicy;
  readonly limits: {
    readonly answerBytes: number;
    readonly depth: number;
    readonly connections: number;
  };
  readonly time: Time;
  readonly random: () => number;
}

export interface RetryPolicy {
  readonly attempts: number;
  readonly baseMs: number;
  readonly maxMs: number;
  readonly retryAfterMs: number;
}

export const DAY_MS: number = 86_400_000;

/** @throws {TypeError} An option is invalid. The message omits its value, which may be a secret. */
export function settingsOf(options: ClientOptions): Settings {
  const { timeouts = {}, retry = {}, limits = {}, allowHttp = false } = options;
  return {
    ...baseOf(options.baseUrl, allowHttp),
    profile: profileOf(options.profile),
    timeouts: {
      attemptMs: whole("timeouts.attemptMs", timeouts.attemptMs ?? 10_000, [1, DAY_MS]),
      callMs: whole("timeouts.callMs", timeouts.callMs ?? 60_000, [1, DAY_MS]),
    },
    retry: {
      attempts: whole("retry.attempts", retry.attempts ?? 5, [1, 100]),
      baseMs: whole("retry.baseMs", retry.baseMs ?? 250, [0, DAY_MS]),
      maxMs: whole("retry.maxMs", retry.maxMs ?? 8000, [0, DAY_MS]),
      retryAfterMs: whole("retry.retryAfterMs", retry.retryAfterMs ?? 30_000, [0, DAY_MS]),
    },
    limits: {
      answerBytes: whole("limits.answerBytes", limits.answerBytes ?? 262_144, [1, 2 ** 30]),
      depth: whole("limits.depth", limits.depth ?? 16, [1, 1024]),
      connections: whole("limits.connections", limits.connections ?? 16, [1, 10_000]),
    },
    time: { now: options.now ?? Date.now, sleep: options.sleep ?? systemSleep },
    random: options.random ?? Math.random,
  };
}

/** @throws {TypeError} `value` is not a whole number of the range, both ends included. */
export function whole(
  name: string,
  value: number,
  [least, most]: readonly [number, number],
): number {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  throw new TypeError(`client: "${name}" must be a whole number from ${least} to ${most}`);
}

function baseOf(
  baseUrl: string | undefined,
  allowHttp: boolean,
): Pick<Settings, "origin" | "prefix"> {
  const url = typeof baseUrl === "string" && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !["https:", "http:"].includes(url.protocol))
    throw new TypeError('client: "baseUrl" must be an absolute https URL');
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new TypeError('client: "baseUrl" must have no user name, password, query or fragment');
  if (url.protocol === "http:" && !allowHttp && !isThisMachine(url.hostname))
    throw new TypeError(
      'client: "baseUrl" must be https, since http shows the token to the network; "allowHttp" allows it',
    );
  return { origin: url.origin, prefix: url.pathname.replace(/\/$/, "") };
}

function isThisMachine(hostname: string): boolean {
  // A URL's parser has already written every spelling of an IPv4 address as four numbers.
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

function profileOf(profile: string | Profile = "standard"): Profile {
  if (typeof profile === "object") return profile;
  if (Object.hasOwn(profiles, profile)) return profiles[profile as keyof typeof profiles];
  const names = Object.keys(profiles).map((name) => JSON.stringify(name));
  throw new TypeError(`client: no such "profile"; there are ${names.join(" and ")}`);
}
