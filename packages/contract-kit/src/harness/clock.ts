/** Time as the sender of attempts needs it: a parameter, so that tests need not wait. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that only goes forward, for waits: the time of day may be set back by hours. */
  readonly elapsed: () => number;
  /** Calls once, after a number of milliseconds. Returns a function that cancels the call. */
  readonly after: (ms: number, call: () => void) => () => void;
}

export const systemClock: Clock = {
  now: Date.now,
  elapsed: () => performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}

const SLOWED_MS = 10;
const SLOWEST_MS = 200;

/** Spaces requests evenly, with at most `perSecond` in any second; `undefined`: no cap. */
export class Pacer {
  readonly #clock: Clock;
  #spacing: number;
  #next = 0;

  constructor(clock: Clock, perSecond: number | undefined) {
    this.#clock = clock;
    this.#spacing = perSecond === undefined ? 0 : 1000 / perSecond;
  }

  async wait(): Promise<void> {
    const now = this.#clock.elapsed();
    const slot = Math.max(now, this.#next);
    this.#next = slot + this.#spacing;
    if (slot > now) await sleep(this.#clock, slot - now);
  }

  /** Pauses for a number of milliseconds, then sends half as fast: the target limits its rate. */
  slowDown(ms: number): void {
    const until = this.#clock.elapsed() + ms;
    // Attempts that were sent together are refused together: they count as one refusal.
    if (this.#next < until) {
      const slowed = Math.min(Math.max(2 * this.#spacing, SLOWED_MS), SLOWEST_MS);
      this.#spacing = Math.max(this.#spacing, slowed);
    }
    this.#next = Math.max(this.#next, until);
  }
}
