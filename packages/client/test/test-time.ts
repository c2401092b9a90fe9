/**
 * A clock for one client. Waits shorter than `attemptMs` pass at once, deadlines when the test says
 * so; nothing sleeps.
 */
export class TestTime {
  readonly attemptMs = 10_000;
  /** The waits that have passed at once, in milliseconds. */
  readonly waits: number[] = [];
  readonly #deadlines = new Set<{ readonly at: number; readonly pass: () => void }>();
  #now = Date.parse("2026-11-21T12:00:00.000Z");

  readonly now = (): number => this.#now;

  readonly sleep = (ms: number, signal: AbortSignal): Promise<void> => {
    if (ms < this.attemptMs) {
      this.waits.push(ms);
      this.#now += ms;
      return Promise.resolve();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const deadline = { at: this.#now + ms, pass: resolve };
    this.#deadlines.add(deadline);
    signal.addEventListener("abort", () => {
      this.#deadlines.delete(deadline);
      reject(new Error("the wait has ended"));
    });
    return promise;
  };

  /** Deadlines that somebody waits for. */
  get pending(): number {
    return this.#deadlines.size;
  }

  elapse(ms: number): void {
    this.#now += ms;
    for (const deadline of this.#deadlines) {
      if (deadline.at > this.#now) continue;
      this.#deadlines.delete(deadline);
      deadline.pass();
    }
  }
}
