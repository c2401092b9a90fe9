/** Time as the sender of attempts needs it: a parameter, so that tests need not wait. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Calls once, after a number of milliseconds. Returns a function that cancels the call. */
  readonly after: (ms: number, call: () => void) => () => void;
}

/** This machine's. */
export const systemClock: Clock = {
  now: Date.now,
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

export interface Pacer {
  /** Waits until one more request may leave. */
  readonly wait: () => Promise<void>;
  /** Pauses for a number of milliseconds, then sends half as fast: the target limits its rate. */
  readonly slowDown: (ms: number) => void;
}

const SLOWED_MS = 10;
const SLOWEST_MS = 200;

/**
 * Spaces requests evenly, with at most `perSecond` in any second.
 *
 * @param perSecond `undefined`: no cap.
 */
export function pacer(clock: Clock, perSecond: number | undefined): Pacer {
  let spacing = perSecond === undefined ? 0 : 1000 / perSecond;
  let next = 0;
  return {
    wait: async () => {
      const now = clock.now();
      const slot = Math.max(now, next);
      next = slot + spacing;
      if (slot > now) await sleep(clock, slot - now);
    },
    slowDown: (ms) => {
      const until = clock.now() + ms;
      // Attempts that were sent together are refused together: they count as one refusal.
      if (next < until)
        spacing = Math.max(spacing, Math.min(Math.max(2 * spacing, SLOWED_MS), SLOWEST_MS));
      next = Math.max(next, until);
    },
  };
}
