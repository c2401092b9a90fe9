/** When the attempts of a delivery are made (S 6.6). */
export interface Schedule {
  /** Milliseconds before each attempt, counted from the end of the one before; the first is 0. */
  readonly steps: readonly number[];
  /** How far a wait may move, as a part of it: 0.1 is ±10 %. 0 or more, below 1. */
  readonly jitter: number;
  /** `Retry-After` counts from one up to this many times the step. 1 or more. */
  readonly retryAfterFactor: number;
}

export interface FailedAttempt {
  /** How many attempts have failed with this one, from 1. */
  readonly attempt: number;
  /** Milliseconds that the receiver asked for, if it did. */
  readonly retryAfter?: number | undefined;
  /** From 0 up to, but not including, 1. */
  readonly random: number;
}

/**
 * The wait after a failed attempt, in whole milliseconds, or `undefined` where the schedule has no
 * further attempt.
 *
 * Without `retryAfter` it is the step within its jitter, so that the receivers of one outage are not
 * called again in one instant. With it, the wait is what was asked for, never shorter than the step
 * and never longer than `retryAfterFactor` steps: a receiver may slow its sender down, but neither make it
 * hammer nor hold a delivery for ever.
 *
 * @see Standard Webhooks, "Deliverability"
 */
export function waitAfter(failed: FailedAttempt, schedule: Schedule): number | undefined {
  const step = schedule.steps[failed.attempt];
  if (step === undefined) return undefined;
  if (failed.retryAfter === undefined) {
    return Math.round(step * (1 + schedule.jitter * (2 * failed.random - 1)));
  }
  // Only ever later than asked for: earlier would ignore the receiver.
  const asked = failed.retryAfter * (1 + schedule.jitter * failed.random);
  return Math.round(Math.min(Math.max(asked, step), schedule.retryAfterFactor * step));
}
/** RFC 9110 5.6.7, the only form that senders may generate; the two obsolete ones are not read. */
const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The wait that a `Retry-After` header asks for (RFC 9110 10.2.3), in milliseconds from `now`.
 *
 * @param header The field's value: whole seconds or an HTTP date.
 * @param now This machine's clock, in milliseconds: an HTTP date is real time.
 * @returns 0 or more; `undefined` where the header is missing, garbled, negative or of more than 12 digits.
 *   A date in the past is 0. What is done with the wait is the schedule's to decide.
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,12}$/.test(header)) return Number(header) * 1000;
  if (!HTTP_DATE.test(header)) return undefined;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
