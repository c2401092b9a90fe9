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

/** Wall time that moves this much more or less than monotonic time has stepped, in milliseconds. */
const STEP_MS = 500;

/**
 * The clock that due times of live deliveries follow. It never goes back: it passes with monotonic time. Each beat stores
 * what it shows, or wall time if that is later, and sets it to what is stored: so a restart does not set it back, and
 * nothing is due by a step of wall time that no other process learns of.
 */
export class DueClock {
  readonly #clock: Clock;
  #shown: number;
  #shownAt: number;
  /** Wall time less monotonic time. */
  #offset: number;

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

  /** The instant to store, in milliseconds: what the clock shows, or wall time if that is later. */
  latest(): number {
    return Math.max(this.now(), this.#clock.now());
  }

  /** Sets the clock forward to what another process, or this one before its restart, has shown. */
  raise(instant: number): void {
    this.#shown = Math.max(this.now(), instant);
  }

  /** The step of wall time since the last call, in milliseconds; 0 without one. */
  takeStep(): number {
    const offset = this.#clock.now() - this.#clock.elapsed();
    const step = offset - this.#offset;
    // Wall time drifts from monotonic time, too slowly to count as a step.
    this.#offset = offset;
    return Math.abs(step) < STEP_MS ? 0 : Math.round(step);
  }
}
