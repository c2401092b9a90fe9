import type { Policy } from "../policy.ts";
import type { Caller } from "./authenticate.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { refuse } from "./refuse.ts";
import type { Refused } from "./refused.ts";

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
