/** Time as the runner of attempts needs it: an argument, so that tests need not wait. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Calls once, after so many milliseconds. @returns What takes it back. */
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

/**
 * Waits until one more request may leave: each has a slot of its own, evenly spaced, so that no second has
 * more than `perSecond`.
 *
 * @param perSecond `undefined`: no cap.
 */
export function pacer(clock: Clock, perSecond: number | undefined): () => Promise<void> {
  if (perSecond === undefined) return () => Promise.resolve();
  const spacing = 1000 / perSecond;
  let next = 0;
  return async () => {
    const now = clock.now();
    const slot = Math.max(now, next);
    next = slot + spacing;
    if (slot > now) await sleep(clock, slot - now);
  };
}
