/** Time, as everything in this package reads it. A test moves it; only `systemClock` reads the machine's. */
export interface Clock {
  /** Wall time: milliseconds since 1970, an integer. It may step. Stored, or compared with others' times. */
  now(): number;
  /** Monotonic time in milliseconds since an arbitrary instant. Limits, timeouts, leases and pacing use it. */
  elapsed(): number;
  /** Resolves after `ms` of monotonic time, or as soon as `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** This machine's clocks. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      const timer = setTimeout(wake, signal?.aborted === true ? 0 : ms);
      signal?.addEventListener("abort", wake);
    }),
};

/** Resolves when `done` does, or after `ms` milliseconds. */
export async function waitAtMost(
  clock: Pick<Clock, "sleep">,
  ms: number,
  done: Promise<unknown>,
): Promise<void> {
  const enough = new AbortController();
  await Promise.race([done, clock.sleep(ms, enough.signal)]);
  enough.abort();
}

/** Wall time that moves this much more or less than monotonic time has stepped, in milliseconds. It also drifts, slower. */
const STEP_MS = 500;
/** Milliseconds between two writes of the due clock: how far a restart may set it back. */
const KEEP_MS = 5000;

/**
 * The clock that due times of live deliveries follow. It never goes back: it passes with monotonic time. Each `keep` stores
 * what it shows, or wall time if that is later, and sets it to what is stored: so a restart does not set it back, and
 * nothing is due by a step of wall time that no other process learns of.
 */
export class DueClock {
  readonly #clock: Clock;
  #shown: number;
  #shownAt: number;
  /** Wall time less monotonic time. */
  #offset: number;
  #keepAt = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#shown = clock.now();
    this.#shownAt = clock.elapsed();
    this.#offset = this.#shown - this.#shownAt;
  }

  /** Milliseconds since 1970, an integer. */
  now(): number {
    const at = this.#clock.elapsed();
    this.#shown += at - this.#shownAt;
    this.#shownAt = at;
    return Math.floor(this.#shown);
  }

  /**
   * Now and then stores the clock, and sets it forward to the latest one of all processes.
   *
   * @param store `keepTime` stores an instant and returns the latest one.
   * @returns The step of wall time since the last call, in milliseconds; 0 without one.
   */
  async keep(store: { keepTime(now: number): Promise<number> }): Promise<number> {
    if (this.#clock.elapsed() < this.#keepAt) return 0;
    const latest = await store.keepTime(Math.max(this.now(), this.#clock.now()));
    this.#shown = Math.max(this.now(), latest);
    this.#keepAt = this.#clock.elapsed() + KEEP_MS;
    const offset = this.#clock.now() - this.#clock.elapsed();
    const step = offset - this.#offset;
    this.#offset = offset;
    return Math.abs(step) < STEP_MS ? 0 : Math.round(step);
  }
}
