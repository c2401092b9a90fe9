import { ENGINE } from "./constants.ts";
import type { DeliveryPolicy, Schedule } from "./policy.ts";
import type { Answer, Attempt, Next } from "./types.ts";

/** The part of a policy that says what becomes of a delivery. */
export type DecidingPolicy = Pick<DeliveryPolicy, "schedule" | "success" | "gone">;

/**
 * Decides what becomes of a delivery (S 6.6): a success delivers it; a receiver that is gone drops it; any other
 * answer and none, redirects included, is a failure that waits for the next attempt or has used up the last one.
 *
 * @param at `now` on the endpoint's clock, in milliseconds; `random` returns a number from 0 to below 1.
 */
export function decideNext(
  { number, answer, startedAt, durationMs }: Attempt,
  at: { readonly now: number; readonly random: () => number },
  policy: DecidingPolicy,
): Next {
  if (isSuccess(answer, policy)) return { state: "delivered", nextAt: null };
  if (isGone(answer, policy)) return { state: "dropped", nextAt: null };
  const retryAfter =
    answer.kind === "answered"
      ? parseRetryAfter(answer.retryAfter, startedAt + durationMs)
      : undefined;
  const wait = waitAfter({ attempt: number, retryAfter, random: at.random() }, policy.schedule);
  return wait === undefined
    ? { state: "exhausted", nextAt: null }
    : { state: "waiting", nextAt: at.now + wait };
}

/** True if the profile counts the answer as delivered. */
function isSuccess(answer: Answer, { success }: Pick<DeliveryPolicy, "success">): boolean {
  if (answer.kind === "unanswered") return false;
  return success === "2xx"
    ? answer.status >= 200 && answer.status <= 299
    : success.includes(answer.status);
}

/** True if the receiver wants nothing more: by its status, or by the header `webhook-delivery: disable`. */
export function isGone(answer: Answer, { gone }: Pick<DeliveryPolicy, "gone">): boolean {
  return answer.kind === "answered" && (answer.status === gone || answer.disables === true);
}

/** The pace of the attempts to one endpoint. */
export interface Pace {
  /** Attempts in flight, 1 or more. */
  readonly limit: number;
  /** Attempts in a row that failed, or whose answers were too long to be read to their end. */
  readonly failures: number;
  /** Overloads in a row. */
  readonly overloads: number;
  /** Monotonic time until which no attempt starts, in milliseconds. */
  readonly restsUntil: number;
}

/** The statuses that say that an endpoint, or a proxy in front of it, is overloaded. */
const OVERLOADED = new Set([429, 502, 504]);

export function freshPace(policy: Pick<DeliveryPolicy, "concurrencyPerEndpoint">): Pace {
  const limit = policy.concurrencyPerEndpoint;
  return { limit, failures: 0, overloads: 0, restsUntil: 0 };
}

/**
 * Adapts an endpoint's pace to an answer. An overloaded endpoint gets half the attempts in flight and rests, for
 * twice as long each time; a success gives one attempt back and ends the rest. An endpoint that only fails gets
 * one attempt at a time.
 *
 * @param now Monotonic time, in milliseconds.
 * @see Standard Webhooks, "Deliverability"
 */
export function paceAfter(
  pace: Pace,
  answer: Answer,
  now: number,
  policy: Pick<DeliveryPolicy, "success" | "concurrencyPerEndpoint">,
): Pace {
  if (isSuccess(answer, policy)) {
    const limit = Math.min(pace.limit + 1, policy.concurrencyPerEndpoint);
    // An answer without an end costs a connection: it counts as a failure here.
    const isFine = answer.kind === "answered" && answer.isCut !== true;
    return { limit, failures: isFine ? 0 : pace.failures + 1, overloads: 0, restsUntil: 0 };
  }
  const failures = pace.failures + 1;
  const limit = isFailing({ failures }) ? 1 : pace.limit;
  const isOverload = answer.kind === "answered" && OVERLOADED.has(answer.status);
  // Attempts that were in flight when the rest began report the same overload again.
  if (!isOverload || pace.restsUntil > now) return { ...pace, limit, failures };
  const rest = Math.min(ENGINE.firstRestMs * 2 ** pace.overloads, ENGINE.longestRestMs);
  return {
    limit: Math.max(1, Math.floor(limit / 2)),
    failures,
    overloads: pace.overloads + 1,
    restsUntil: now + rest,
  };
}

/** True if an endpoint's attempts cost more than they achieve. */
export function isFailing({ failures }: Pick<Pace, "failures">): boolean {
  return failures >= ENGINE.failing;
}

export interface FailedAttempt {
  /** Failed attempts, including this one, from 1. */
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
 * called again in one instant. With it, the wait is the requested one, never shorter than the step
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
