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
