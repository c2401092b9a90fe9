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
