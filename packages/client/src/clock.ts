import { setTimeout } from "node:timers/promises";

/** The clocks of this machine, or a test's. */
export interface Clock {
  /** Wall time: milliseconds since 1970. It may step; only compared with times that others name. */
  now(): number;
  /** Monotonic time in milliseconds since an arbitrary instant. */
  elapsed(): number;
  /** Resolves after `ms` of monotonic time, or as soon as `signal` aborts; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => undefined),
};

/** Starts a deadline: its signal aborts after a number of milliseconds, unless `end` cancels it. */
export function startDeadline(clock: Clock, ms: number): { signal: AbortSignal; end: () => void } {
  const passed = new AbortController();
  const ended = new AbortController();
  void clock.sleep(ms, ended.signal).then(() => {
    if (!ended.signal.aborted) passed.abort();
  });
  return { signal: passed.signal, end: () => ended.abort() };
}

/** Resolves to the result of `work`, or to `undefined` once the signal is aborted. The work continues. */
export async function until<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const left = Promise.withResolvers<undefined>();
  const leave = (): void => left.resolve(undefined);
  signal.addEventListener("abort", leave);
  if (signal.aborted) leave();
  try {
    return await Promise.race([work, left.promise]);
  } finally {
    // A listener would keep the call's signal as long as the caller's.
    signal.removeEventListener("abort", leave);
  }
}
