import type { Request } from "express";
import ipaddr from "ipaddr.js";
import type { Policy } from "../profile/policy.ts";
import type { Caller } from "./auth/bearer.ts";
import { refuse, type Refused } from "./problem.ts";

/** Which of the profile's limits a route is under (S 8). */
export type RateKind = "refunds" | "others";

export interface RatesOptions {
  readonly limits: Policy["rateLimit"];
  /** Real time, in milliseconds. */
  readonly now: () => number;
}

/**
 * The profile's limits (S 8), each per client and of this process: where several share the work, a client
 * may make as many calls as that at each.
 */
export class Rates {
  readonly #now: () => number;
  readonly #calls: Readonly<Record<RateKind, RateLimiter>>;
  readonly #tokens: RateLimiter;
  readonly #guesses: RateLimiter;

  constructor({ limits, now }: RatesOptions) {
    this.#now = now;
    const perMinute = { calls: limits.tokensPerMinute, perMs: 60_000 };
    this.#calls = {
      refunds: new RateLimiter({ calls: limits.refundsPerSecond, perMs: 1000 }),
      others: new RateLimiter({ calls: limits.othersPerSecond, perMs: 1000 }),
    };
    this.#tokens = new RateLimiter(perMinute);
    this.#guesses = new RateLimiter(perMinute);
  }

  /**
   * Takes a call of whoever a token belongs to.
   *
   * @throws {Refused} `RATE_LIMITED`, with `retry-after`.
   */
  takeCall(kind: RateKind, { clientId, merchant }: Caller): void {
    // An operator's token has no client.
    this.#take(this.#calls[kind], clientId === null ? `merchant ${merchant.id}` : clientId);
  }

  /**
   * Takes a token request of a source, before anything is known of who asks: this bounds guessing.
   *
   * @returns What gives it back once the client has proved who it is: whoever does guesses nothing.
   * @throws {Refused} `RATE_LIMITED`, with `retry-after`.
   */
  takeGuess(source: string): () => void {
    this.#take(this.#guesses, source);
    return () => this.#guesses.giveBack(source);
  }

  /**
   * Takes a token of a client that has proved who it is. Who only names the client takes none, or a
   * stranger who knows its id could keep it from its tokens.
   *
   * @throws {Refused} `RATE_LIMITED`, with `retry-after`.
   */
  takeToken(clientId: string): void {
    this.#take(this.#tokens, clientId);
  }

  #take(limiter: RateLimiter, key: string): void {
    const waitMs = limiter.take(key, this.#now());
    if (waitMs > 0) throw limited(waitMs);
  }
}

function limited(waitMs: number): Refused {
  // RFC 9110, section 10.2.3: whole seconds.
  return refuse("RATE_LIMITED", { headers: { "retry-after": String(Math.ceil(waitMs / 1000)) } });
}

export interface RateLimit {
  /** Calls at once, and calls in each `perMs`. */
  readonly calls: number;
  readonly perMs: number;
}

/** Keys that are remembered. Beyond it the one that was seen longest ago is forgotten: memory is bounded. */
const MAX_KEYS = 10_000;

/**
 * How often each key may do something: a bucket of `calls` that fills again evenly (the generic cell
 * rate algorithm: of each key one number is kept). Of this process alone.
 */
export class RateLimiter {
  readonly #intervalMs: number;
  readonly #perMs: number;
  /** When each key's bucket is full again, in milliseconds; the key that was seen longest ago is first. */
  readonly #fullAt = new Map<string, number>();

  constructor({ calls, perMs }: RateLimit) {
    this.#intervalMs = perMs / calls;
    this.#perMs = perMs;
  }

  /**
   * Takes one call of a key, where there is one.
   *
   * @param now Real time, in milliseconds.
   * @returns Milliseconds until the next one, 0 where the call may go on.
   */
  take(key: string, now: number): number {
    // No later than an empty bucket's: a clock that was set back must lock nobody out.
    const fullAt = Math.min(Math.max(this.#fullAt.get(key) ?? 0, now), now + this.#perMs);
    const waitMs = fullAt + this.#intervalMs - (now + this.#perMs);
    // A tolerance, since intervals are fractions that add up.
    if (waitMs > 1e-6) return waitMs;
    this.#remember(key, fullAt + this.#intervalMs);
    return 0;
  }

  /** Gives one call of a key back. */
  giveBack(key: string): void {
    const fullAt = this.#fullAt.get(key);
    if (fullAt !== undefined) this.#fullAt.set(key, fullAt - this.#intervalMs);
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#fullAt.size;
  }

  #remember(key: string, fullAt: number): void {
    this.#fullAt.delete(key);
    this.#fullAt.set(key, fullAt);
    if (this.#fullAt.size <= MAX_KEYS) return;
    const [oldest] = this.#fullAt.keys();
    if (oldest !== undefined) this.#fullAt.delete(oldest);
  }
}

/**
 * Where a call comes from, as far as one sender can be told from another: an IPv4 address, or the /64
 * of an IPv6 one, since whoever has one address of it has them all.
 *
 * Express tells the address: the connection's, or what the trusted proxies say of it.
 */
export function sourceOf({ ip }: Pick<Request, "ip">): string {
  if (ip === undefined || !ipaddr.isValid(ip)) return "unknown";
  // An IPv4 address that came by a socket of both kinds.
  const address = ipaddr.process(ip);
  if (address.kind() === "ipv4") return address.toString();
  const prefix = address.toByteArray().slice(0, 8);
  return `${Buffer.from(prefix).toString("hex")}::/64`;
}
