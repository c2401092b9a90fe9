import { setTimeout } from "node:timers/promises";

/** Waits for a number of milliseconds. Rejects when the signal is aborted, for any reason. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** The clock of this machine, or a test's. */
export interface Time {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly sleep: Sleep;
}

export const systemSleep: Sleep = async (ms, signal) => {
  await setTimeout(ms, undefined, { signal });
};

/** A deadline that has not passed until its signal is aborted. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Cancels it. */
  end(): void;
}

/** Starts a deadline after a number of milliseconds. */
export function startDeadline({ sleep }: Time, ms: number): Deadline {
  const passed = new AbortController();
  const ended = new AbortController();
  sleep(ms, ended.signal).then(
    () => passed.abort(),
    () => undefined,
  );
  return { signal: passed.signal, end: () => ended.abort() };
}

/** Resolves to the result of `work`, or to `undefined` once the signal is aborted. The work continues. */
export async function until<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return undefined;
  const left = Promise.withResolvers<undefined>();
  const leave = (): void => left.resolve(undefined);
  signal.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([work, left.promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
