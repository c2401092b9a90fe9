/**
 * Real time. Signature timestamps, tokens, leases, deadlines and rate limits read it directly; the
 * times of payments, refunds and events go through `instantOf`, which lets a namespace have a clock
 * of its own.
 */
export interface Clock {
  /** Milliseconds since 1970, an integer. */
  now(): number;
}

/** The clock of this machine. */
export const systemClock: Clock = { now: () => Date.now() };
