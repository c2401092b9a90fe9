import type { Request } from "express";
import ipaddr from "ipaddr.js";
import type { Profile } from "@countersign/schemas/profiles";
import { sha256Hex } from "../secrets/vault.ts";
import type { ClientCredentials } from "../use-cases/tokens.ts";
import type { Caller } from "./auth/bearer.ts";
import { refuse, type Refused } from "./problem.ts";

/** The profile's limit that a route falls under (S 8). */
export type RateKind = "refunds" | "others";

export interface RatesOptions {
  readonly limits: Profile["rateLimit"];
  /** Monotonic time in milliseconds: a step of the wall clock neither refuses calls nor admits more. */
  readonly elapsed: () => number;
}

/**
 * The profile's limits (S 8), counted in this process: a client of several instances may make as many
 * calls at each of them.
 *
 * Calls are counted by client. Wrong credentials are counted by the source that sends them, and only
 * against others of their kind, so that they never lock out the genuine clients of the same source.
 */
export class Rates {
  readonly #elapsed: () => number;
  readonly #calls: Readonly<Record<RateKind, RateLimiter>>;
  readonly #tokens: RateLimiter;
  readonly #guesses: RateLimiter;
  readonly #badTokens: RateLimiter;
  /** SHA-256 of bearer tokens that were genuine when last seen. */
  readonly #genuine = new Recent<true>();
  /** The same of clients' ids with their secrets. */
  readonly #genuineSecrets = new Recent<true>();

  constructor({ limits, elapsed }: RatesOptions) {
    this.#elapsed = elapsed;
    const perMinute = { calls: limits.tokensPerMinute, perMs: 60_000 };
    const perSecond = { calls: limits.othersPerSecond, perMs: 1000 };
    this.#calls = {
      refunds: new RateLimiter({ calls: limits.refundsPerSecond, perMs: 1000 }),
      others: new RateLimiter(perSecond),
    };
    this.#tokens = new RateLimiter(perMinute);
    this.#guesses = new RateLimiter(perMinute);
    this.#badTokens = new RateLimiter(perSecond);
  }

  /**
   * Takes a call of a token's client.
   *
   * @throws {Refused} `RATE_LIMITED`, with `retry-after`.
   */
  takeCall(kind: RateKind, { clientId, merchant }: Caller): void {
    // An operator's token has no client.
    this.#take(this.#calls[kind], clientId ?? `merchant ${merchant.id}`);
  }

  /**
   * Authenticates a client for a token. Failures are limited per source and client id; a success is
   * limited per client, wherever it comes from. A source that has used up its failures still has the
   * credentials checked that this process knows as genuine.
   *
   * @param find Returns the client, or `undefined` if the credentials are wrong.
   * @throws {Refused} `RATE_LIMITED`, with `retry-after`, before `find` is called or after its success.
   */
  async authenticate<T>(
    { source, clientId, clientSecret }: ClientCredentials & { readonly source: string },
    find: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    // A hash: a stranger chooses the id, and its length.
    const key = `${source} ${sha256Hex(clientId)}`;
    const hash = sha256Hex(`${clientId}\n${clientSecret}`);
    const isKnown = this.#genuineSecrets.get(hash) !== undefined;
    // Taken first and given back: concurrent guesses count too.
    if (!isKnown) this.#take(this.#guesses, key);
    let isWrong = false;
    try {
      const client = await find();
      isWrong = client === undefined;
      if (isWrong) this.#genuineSecrets.delete(hash);
      else {
        this.#genuineSecrets.set(hash, true);
        this.#take(this.#tokens, clientId);
      }
      return client;
    } finally {
      if (!isWrong && !isKnown) this.#guesses.giveBack(key);
    }
  }

  /**
   * Looks up a bearer token. Only failures are limited, per source. A source that has used them up still
   * has the tokens looked up that this process knows as genuine.
   *
   * @param find Returns the caller, or `undefined` if the token is unknown or expired.
   * @throws {Refused} `RATE_LIMITED`, with `retry-after`, before `find` is called.
   */
  async lookUp<T>(
    { source, token }: { readonly source: string; readonly token: string },
    find: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const hash = sha256Hex(token);
    const isKnown = this.#genuine.get(hash) !== undefined;
    const waitMs = isKnown ? 0 : this.#badTokens.wait(source, this.#elapsed());
    if (waitMs > 0) throw limited(waitMs);
    const caller = await find();
    if (caller !== undefined) {
      this.#genuine.set(hash, true);
    } else {
      this.#genuine.delete(hash);
      this.#badTokens.take(source, this.#elapsed());
    }
    return caller;
  }

  /** Records a token that this process has just issued. */
  issued(token: string): void {
    this.#genuine.set(sha256Hex(token), true);
  }

  #take(limiter: RateLimiter, key: string): void {
    const waitMs = limiter.take(key, this.#elapsed());
    if (waitMs > 0) throw limited(waitMs);
  }
}

function limited(waitMs: number): Refused {
  // RFC 9110, section 10.2.3: whole seconds.
  return refuse("RATE_LIMITED", { headers: { "retry-after": String(Math.ceil(waitMs / 1000)) } });
}

export interface RateLimit {
  /** Calls in a burst, and in each `perMs`. */
  readonly calls: number;
  readonly perMs: number;
}

/**
 * Limits each key to bursts of `calls` that refill evenly (the generic cell rate algorithm: one number
 * per key). Counts in this process only.
 */
export class RateLimiter {
  readonly #intervalMs: number;
  readonly #perMs: number;
  /** Monotonic time at which each key's burst is whole again, in milliseconds. */
  readonly #fullAt = new Recent<number>();

  constructor({ calls, perMs }: RateLimit) {
    this.#intervalMs = perMs / calls;
    this.#perMs = perMs;
  }

  /**
   * Takes one call of a key, if one is left.
   *
   * @param elapsed Monotonic time in milliseconds.
   * @returns Milliseconds until the next one, 0 if the call was taken.
   */
  take(key: string, elapsed: number): number {
    const waitMs = this.wait(key, elapsed);
    if (waitMs > 0) return waitMs;
    this.#fullAt.set(key, this.#fullAtOrNow(key, elapsed) + this.#intervalMs);
    return 0;
  }

  /** Milliseconds until a call of a key can be taken, 0 if one is left. Takes none. */
  wait(key: string, elapsed: number): number {
    const waitMs = this.#fullAtOrNow(key, elapsed) + this.#intervalMs - (elapsed + this.#perMs);
    // A tolerance, since intervals are fractions that add up.
    return waitMs > 1e-6 ? waitMs : 0;
  }

  /** Gives one call of a key back. */
  giveBack(key: string): void {
    const fullAt = this.#fullAt.get(key);
    if (fullAt !== undefined) this.#fullAt.set(key, fullAt - this.#intervalMs);
  }

  /** Number of remembered keys. */
  get size(): number {
    return this.#fullAt.size;
  }

  #fullAtOrNow(key: string, elapsed: number): number {
    return Math.max(this.#fullAt.get(key) ?? elapsed, elapsed);
  }
}

/** Bounds the memory of what strangers can fill. */
const MAX_KEYS = 10_000;

/** A map that forgets the keys set longest ago beyond `MAX_KEYS`. */
class Recent<Value> {
  readonly #values = new Map<string, Value>();

  get size(): number {
    return this.#values.size;
  }

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: Value): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size <= MAX_KEYS) return;
    const [oldest] = this.#values.keys();
    if (oldest !== undefined) this.#values.delete(oldest);
  }

  delete(key: string): void {
    this.#values.delete(key);
  }
}

/**
 * Returns the sender of a call as far as it can be distinguished: an IPv4 address, or the /64 of an IPv6
 * address, since whoever has one of them has them all. Express supplies the address: the connection's,
 * or what the trusted proxies say.
 */
export function sourceOf({ ip }: Pick<Request, "ip">): string {
  if (ip === undefined || !ipaddr.isValid(ip)) return "unknown";
  // Unwraps an IPv4 address that arrived on an IPv6 socket.
  const address = ipaddr.process(ip);
  if (address.kind() === "ipv4") return address.toString();
  const prefix = address.toByteArray().slice(0, 8);
  return `${Buffer.from(prefix).toString("hex")}::/64`;
}
