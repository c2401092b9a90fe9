import type { DeliveryPolicy, Schedule } from "./policy.ts";
import type { Answer, Attempt, Next } from "./types.ts";

/**
 * Decides what becomes of a delivery (S 6.6): a success delivers it; a receiver that is gone drops it; any other
 * answer and none, redirects included, is a failure that waits for the next attempt or has used up the last one.
 */
export function decideNext(
  { number, answer, startedAt, durationMs }: Attempt,
  at: { readonly now: number; readonly random: () => number },
  policy: Pick<DeliveryPolicy, "schedule" | "success" | "gone">,
): Next {
  if (isSuccess(answer, policy)) return { state: "delivered", nextAt: null };
  // The receiver wants nothing more.
  if (answer.kind === "answered" && answer.status === policy.gone)
    return { state: "dropped", nextAt: null };
  const header = answer.kind === "answered" ? answer.retryAfter : undefined;
  const retryAfter = parseRetryAfter(header, startedAt + durationMs);
  const wait = waitAfter({ attempt: number, retryAfter, random: at.random() }, policy.schedule);
  return wait === undefined
    ? { state: "exhausted", nextAt: null }
    : { state: "waiting", nextAt: at.now + wait };
}

/** True if the profile counts the answer as delivered. */
function isSuccess(answer: Answer, { success }: Pick<DeliveryPolicy, "success">): boolean {
  if (answer.kind === "unanswered") return false;
  const { status } = answer;
  return success === "2xx" ? status >= 200 && status <= 299 : success.includes(status);
}

/** The pace of the attempts to one endpoint. */
export interface Pace {
  /** Attempts in flight, 1 or more. */
  readonly limit: number;
  /** Attempts in a row that failed, or whose answers were too long to be read to their end. */
  readonly failures: number;
  /** Rests in a row. */
  readonly rests: number;
  /** Monotonic time until which no attempt starts, in milliseconds. */
  readonly restsUntil: number;
}

/** The statuses that say that an endpoint, or a proxy in front of it, is overloaded. */
const OVERLOADED = new Set([429, 502, 504]);
/** Attempts in a row that fail until an endpoint counts as failing. */
const FAILING = 5;
/** The first rest; each further one in a row doubles it, up to the longest, which is shorter without an overload. */
const FIRST_REST_MS = 500;
const LONGEST_REST_MS = { overloaded: 60_000, failing: 5000 } as const;

export function freshPace(policy: Pick<DeliveryPolicy, "concurrencyPerEndpoint">): Pace {
  return { limit: policy.concurrencyPerEndpoint, failures: 0, rests: 0, restsUntil: 0 };
}

/**
 * Adapts an endpoint's pace to an answer. An overloaded endpoint gets half the attempts in flight, one that only fails
 * gets one, and both rest, for twice as long each time: an attempt that fails costs as much as one that succeeds, and a
 * TLS handshake as much as 20. A success gives one attempt back and ends the rest. Times are monotonic.
 *
 * @see Standard Webhooks, "Deliverability"
 */
export function paceAfter(
  pace: Pace,
  answer: Answer,
  now: number,
  policy: Pick<DeliveryPolicy, "success" | "concurrencyPerEndpoint">,
): Pace {
  // An answer without an end costs a connection: it counts as a failure here, but causes no rest.
  const isCut = answer.kind === "answered" && answer.isCut === true;
  const isDelivered = isSuccess(answer, policy);
  const failures = isDelivered && !isCut ? 0 : pace.failures + 1;
  const isFailing = failures >= FAILING;
  if (isDelivered) {
    const limit = isFailing ? 1 : Math.min(pace.limit + 1, policy.concurrencyPerEndpoint);
    return { limit, failures, rests: 0, restsUntil: 0 };
  }
  const isOverload = answer.kind === "answered" && OVERLOADED.has(answer.status);
  // Attempts that were in flight when the rest began report the same again.
  const isResting = pace.restsUntil > now;
  const half = isOverload && !isResting ? Math.max(1, Math.floor(pace.limit / 2)) : pace.limit;
  const limit = isFailing ? 1 : half;
  if (isResting || !(isOverload || isFailing)) return { ...pace, limit, failures };
  const longest = isOverload ? LONGEST_REST_MS.overloaded : LONGEST_REST_MS.failing;
  const rest = Math.min(FIRST_REST_MS * 2 ** pace.rests, longest);
  return { limit, failures, rests: pace.rests + 1, restsUntil: now + rest };
}

interface FailedAttempt {
  /** Failed attempts, including this one, from 1. */
  readonly attempt: number;
  /** Milliseconds that the receiver asked for, if it did. */
  readonly retryAfter?: number | undefined;
  /** From 0 up to, but not including, 1. */
  readonly random: number;
}

/**
 * The wait after a failed attempt, in whole milliseconds; `undefined` after the last one. Without `retryAfter` it is the
 * step within its jitter, so that the receivers of one outage are not called again in one instant. With it, it is the
 * requested one, from the step to `retryAfterFactor` steps: a receiver may slow its sender down, but neither make it hammer
 * nor hold a delivery for ever.
 */
export function waitAfter(
  { attempt, retryAfter, random }: FailedAttempt,
  { steps, jitter, retryAfterFactor }: Schedule,
): number | undefined {
  const step = steps[attempt];
  if (step === undefined) return undefined;
  if (retryAfter === undefined) return Math.round(step * (1 + jitter * (2 * random - 1)));
  // Only ever later than asked for: earlier would ignore the receiver.
  const asked = retryAfter * (1 + jitter * random);
  return Math.round(Math.min(Math.max(asked, step), retryAfterFactor * step));
}

/** RFC 9110 5.6.7, the only form that senders may generate; the two obsolete ones are not read. */
const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The wait that a `Retry-After` header asks for (RFC 9110 10.2.3), in milliseconds from `now` of real time, 0 or more;
 * `undefined` if the header is missing, garbled, negative or of more than 12 digits.
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,12}$/.test(header)) return Number(header) * 1000;
  if (!HTTP_DATE.test(header)) return undefined;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
