/** Attempts in a row that brought nothing, until a subscription counts as failing. */
const FAILING = 5;
/** Subscriptions that are remembered: those that failed last. */
const MAX_REMEMBERED = 10_000;

/**
 * Which subscriptions' attempts cost more than they bring: those whose last five or more failed, or had answers
 * too long to be read to their end, which take a connection each. One attempt that does neither ends it.
 */
export class FailingSubscriptions {
  /** Attempts in a row that brought nothing. */
  readonly #failures = new Map<string, number>();

  /** Whether none has failed last. */
  get isEmpty(): boolean {
    return this.#failures.size === 0;
  }

  has(key: string): boolean {
    return (this.#failures.get(key) ?? 0) >= FAILING;
  }

  /** An attempt is over. @param isFine Whether it succeeded and its answer was read to the end. */
  ended(key: string, isFine: boolean): void {
    const before = this.#failures.get(key) ?? 0;
    this.#failures.delete(key);
    if (isFine) return;
    this.#failures.set(key, before + 1);
    if (this.#failures.size <= MAX_REMEMBERED) return;
    for (const oldest of this.#failures.keys()) {
      this.#failures.delete(oldest);
      return;
    }
  }
}
