import { validateProfile } from "@countersign/schemas/profile-validator";
import { profiles, type Profile } from "@countersign/schemas/profiles";
import { Pool, type Dispatcher } from "undici";
import { systemClock, type Clock } from "./clock.ts";

export interface ClientOptions {
  /** `https://HOST[:PORT][/PREFIX]`; http only to this machine, unless `allowHttp`. */
  readonly baseUrl: string | undefined;
  /** OAuth 2 client credentials, for the profile's token path (S 5.2). Required unless `token` is given. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** Requested scopes. Default: all scopes of the client. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * An access token that was obtained elsewhere, instead of the credentials; or a function, which is called before
   * each attempt and again after the first 401 of a call, and therefore keeps its token itself.
   */
  readonly token?: string | ((signal: AbortSignal) => string | Promise<string>) | undefined;
  /** A built-in profile by its name, or a profile's document. Default `'standard'`. */
  readonly profile?: string | Profile | undefined;
  /** Milliseconds for a call with all of its attempts and waits, up to a day. Default 60 000. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds for one attempt, from the connection to the last byte, up to a day. Default 10 000. */
  readonly attemptTimeoutMs?: number | undefined;
  /** Attempts of a refund, customer or unsubscribe call, 1 to 100. Default 5. A subscribe call has one. */
  readonly maxAttempts?: number | undefined;
  /** True to send tokens and secrets without TLS to any host. Default false. */
  readonly allowHttp?: boolean | undefined;
  /** The caller's own connections, such as undici's `ProxyAgent`; `close` leaves it open. Default: 16 connections. */
  readonly dispatcher?: Dispatcher | undefined;
  /** Default: this machine's clocks. */
  readonly clock?: Clock | undefined;
  /** A number from 0 to 1, 1 excluded, for the jitter of waits. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** Options of one call. */
export interface CallOptions {
  /** Ends the call; it rejects with `CS_CALL_ABORTED`. */
  readonly signal?: AbortSignal | undefined;
  /** Overrides the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
}

/** Validated options of a client, with every default filled in. */
export interface Settings {
  readonly origin: string;
  /** Before every path; empty or `/…` without a slash at its end. */
  readonly prefix: string;
  readonly profile: Profile;
  readonly dispatcher: Dispatcher;
  readonly timeoutMs: number;
  readonly attemptTimeoutMs: number;
  readonly maxAttempts: number;
  readonly clock: Clock;
  readonly random: () => number;
}

/** @throws {TypeError} An option is invalid. The message omits its value, which may be a secret. */
export function settingsOf(options: ClientOptions): Settings {
  const { timeoutMs = 60_000, attemptTimeoutMs = 10_000, maxAttempts = 5 } = options;
  const { clock = systemClock, random = Math.random } = options;
  checkMilliseconds("timeoutMs", timeoutMs);
  checkMilliseconds("attemptTimeoutMs", attemptTimeoutMs);
  checkInteger("maxAttempts", maxAttempts, 100);
  const { origin, prefix } = parseBaseUrl(options);
  const profile = findProfile(options.profile);
  // One exchange at a time: a second answer on a connection must not be taken for the answer to another call.
  const pool = { connections: 16, pipelining: 1, allowH2: false };
  const connect = { timeout: attemptTimeoutMs };
  const dispatcher = options.dispatcher ?? new Pool(origin, { ...pool, connect });
  const numbers = { timeoutMs, attemptTimeoutMs, maxAttempts };
  return { origin, prefix, profile, dispatcher, ...numbers, clock, random };
}

/** @throws {TypeError} `value` is not an integer from 1 to a day. */
export function checkMilliseconds(name: string, value: number): void {
  checkInteger(name, value, 86_400_000);
}

function checkInteger(name: string, value: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= 1 && value <= most) return;
  throw new TypeError(`client: invalid "${name}": expected an integer from 1 to ${most}`);
}

function parseBaseUrl({ baseUrl, allowHttp }: ClientOptions): Pick<Settings, "origin" | "prefix"> {
  const url = typeof baseUrl === "string" ? URL.parse(baseUrl) : null;
  if (url === null || !["https:", "http:"].includes(url.protocol))
    throw new TypeError('client: invalid "baseUrl": expected an absolute https URL');
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new TypeError('client: invalid "baseUrl": expected no user, password, query or fragment');
  // The URL parser has already written every spelling of an IPv4 address as four numbers.
  const isThisMachine = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url.protocol === "http:" && allowHttp !== true && !isThisMachine)
    throw new TypeError(
      'client: invalid "baseUrl": expected https, since http shows the token to the network; "allowHttp" allows it',
    );
  return { origin: url.origin, prefix: url.pathname.replace(/\/$/, "") };
}

function findProfile(profile: string | Profile = "standard"): Profile {
  if (typeof profile === "string") {
    if (Object.hasOwn(profiles, profile)) return profiles[profile as keyof typeof profiles];
    const names = Object.keys(profiles).map((name) => JSON.stringify(name));
    throw new TypeError(`client: unknown "profile": expected ${names.join(" or ")}`);
  }
  const validation = validateProfile(profile);
  if (validation.ok) return validation.value;
  const [{ pointer, message } = { pointer: "", message: "" }] = validation.errors;
  throw new TypeError(`client: invalid "profile": ${pointer} ${message}`);
}
