import type { Request } from "express";
import ipaddr from "ipaddr.js";
import type { Profile } from "@countersign/schemas/profiles";
import { sha256Hex } from "../secrets/vault.ts";
import type { Caller } from "./auth/bearer.ts";
import { refuse } from "./problem.ts";

/** The profile's limit that a route falls under (S 8). */
export type RateKind = "refunds" | "others";

interface RatesOptions {
  readonly limits: Profile["rateLimit"];
  /** Monotonic time in milliseconds: a step of the wall clock neither refuses calls nor admits more. */
  readonly elapsed: () => number;
  /** True if calls of the merchant are limited; without one, if wrong credentials are. */
  readonly isLimited: (merchantId?: string) => boolean;
}

/**
 * The profile's limits (S 8), counted in this process. Each throws `RATE_LIMITED` with `retry-after`. Calls are counted by
 * client. Wrong credentials are counted by the source that sends them, and beyond its limit only they are refused: they
 * never lock out the genuine clients of the same source.
 */
export class Rates {
  readonly #elapsed: () => number;
  readonly #isLimited: RatesOptions["isLimited"];
  readonly #limiters: Readonly<Record<RateKind | "tokens" | "guesses" | "badTokens", RateLimiter>>;
  /** Resolves when the last look-up of a source beyond its limit has ended. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ limits, elapsed, isLimited }: RatesOptions) {
    this.#elapsed = elapsed;
    this.#isLimited = isLimited;
    const perMinute = { calls: limits.tokensPerMinute, perMs: 60_000 };
    const perSecond = { calls: limits.othersPerSecond, perMs: 1000 };
    this.#limiters = {
      refunds: new RateLimiter({ calls: limits.refundsPerSecond, perMs: 1000 }),
      others: new RateLimiter(perSecond),
      tokens: new RateLimiter(perMinute),
      guesses: new RateLimiter(perMinute),
      badTokens: new RateLimiter(perSecond),
    };
  }

  /** Takes a call of a token's client. */
  takeCall(kind: RateKind, { clientId, merchant }: Caller): void {
    // An operator's token has no client.
    if (this.#isLimited(merchant.id))
      this.#take(this.#limiters[kind], clientId ?? `merchant ${merchant.id}`);
  }

  /**
   * Authenticates a client for a token. Failures are limited per source and client id; a success is
   * limited per client, wherever it comes from.
   */
  async authenticate<T extends { readonly merchantId: string }>(
    { source, clientId }: { readonly source: string; readonly clientId: string },
    find: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    // A hash: a stranger chooses the id, and its length.
    const client = await this.#find(
      this.#limiters.guesses,
      `${source} ${sha256Hex(clientId)}`,
      find,
    );
    if (client !== undefined && this.#isLimited(client.merchantId))
      this.#take(this.#limiters.tokens, clientId);
    return client;
  }

  /** Looks up a bearer token. Only failures are limited, per source. */
  lookUp<T>(source: string, find: () => Promise<T | undefined>): Promise<T | undefined> {
    return this.#find(this.#limiters.badTokens, source, find);
  }

  /** Look-ups of sources beyond their limit run one at a time: they take little of the database. */
  async #find<T>(
    limiter: RateLimiter,
    key: string,
    find: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    if (!this.#isLimited()) return find();
    const isWithin = limiter.wait(key, this.#elapsed()) === 0;
    const finding = isWithin ? find() : this.#turn.then(find);
    if (!isWithin) this.#turn = finding.catch(() => undefined);
    const found = await finding;
    if (found === undefined) this.#take(limiter, key);
    return found;
  }

  #take(limiter: RateLimiter, key: string): void {
    const waitMs = limiter.take(key, this.#elapsed());
    // RFC 9110, section 10.2.3: whole seconds.
    const headers = { "retry-after": String(Math.ceil(waitMs / 1000)) };
    if (waitMs > 0) throw refuse("RATE_LIMITED", { headers });
  }
}

/** Bounds the memory of what strangers can fill. */
const MAX_KEYS = 10_000;

/** Limits each key to bursts of `calls` that refill evenly (the generic cell rate algorithm: one number per key). */
export class RateLimiter {
  readonly #intervalMs: number;
  readonly #perMs: number;
  /** Monotonic time at which each key's burst is whole again, in milliseconds. */
  readonly #fullAt = new Map<string, number>();

  /** @param limit `calls` in a burst, and in each `perMs`. */
  constructor({ calls, perMs }: { readonly calls: number; readonly perMs: number }) {
    this.#intervalMs = perMs / calls;
    this.#perMs = perMs;
  }

  /** Takes one call of a key, if one is left. @returns Milliseconds until the next one, 0 if the call was taken. */
  take(key: string, elapsed: number): number {
    const waitMs = this.wait(key, elapsed);
    if (waitMs > 0) return waitMs;
    const fullAt = this.#fullAtOrNow(key, elapsed) + this.#intervalMs;
    // The key moves to the end of the map.
    this.#fullAt.delete(key);
    this.#fullAt.set(key, fullAt);
    const [oldest] = this.#fullAt.keys();
    if (this.#fullAt.size > MAX_KEYS && oldest !== undefined) this.#fullAt.delete(oldest);
    return 0;
  }

  /** Milliseconds until a call of a key can be taken, 0 if one is left. Takes none. */
  wait(key: string, elapsed: number): number {
    const waitMs = this.#fullAtOrNow(key, elapsed) + this.#intervalMs - (elapsed + this.#perMs);
    // A tolerance, since intervals are fractions that add up.
    return waitMs > 1e-6 ? waitMs : 0;
  }

  #fullAtOrNow(key: string, elapsed: number): number {
    return Math.max(this.#fullAt.get(key) ?? elapsed, elapsed);
  }
}

/**
 * Returns the source of a call, which Express takes from the connection or a trusted proxy: an IPv4 address, or the /64 of
 * an IPv6 address, since whoever has one of them has them all.
 */
export function sourceOf({ ip }: Pick<Request, "ip">): string {
  if (ip === undefined || !ipaddr.isValid(ip)) return "unknown";
  // Unwraps an IPv4 address that arrived on an IPv6 socket.
  const address = ipaddr.process(ip);
  if (address.kind() === "ipv4") return address.toString();
  const prefix = address.toByteArray().slice(0, 8);
  return `${Buffer.from(prefix).toString("hex")}::/64`;
}
