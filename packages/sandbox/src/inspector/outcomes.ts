import {
  integer,
  list,
  optional,
  text,
  writtenTime,
  type Routes,
} from "@countersign/service/internal";
import { get, post } from "../routes/call.ts";
import type { Streams } from "../streams.ts";

/** A receiver's report of its decision about one attempt. */
export interface ReportedOutcome {
  /** `null` for an attempt whose signature was refused, since its id is not trusted. */
  readonly eventId: string | null;
  /** Kind of the outcome: `handled`, `rejected`, … */
  readonly outcome: string;
  readonly code: string | null;
  /** The handler's error, or the faults of the body. */
  readonly message: string | null;
  /** Causes of a refused signature, each with its fix. */
  readonly explanation: readonly string[];
  readonly durationMs: number | null;
  /** Real time at which the report arrived. */
  readonly at: string;
}

/** Maximum number of outcomes that are kept per namespace. */
const KEPT = 1000;

/** The latest outcomes that receivers have reported, by namespace, in memory. */
export class Outcomes {
  readonly #ofMerchants = new Map<string, ReportedOutcome[]>();

  add(merchantId: string, outcome: ReportedOutcome): void {
    this.#ofMerchants.set(merchantId, [...this.list(merchantId), outcome].slice(-KEPT));
  }

  clear(merchantId: string): void {
    this.#ofMerchants.delete(merchantId);
  }

  /** The oldest first. */
  list(merchantId: string): readonly ReportedOutcome[] {
    return this.#ofMerchants.get(merchantId) ?? [];
  }
}

export const outcomeRoutes = (outcomes: Outcomes, streams: Streams): Routes => ({
  "/sandbox/outcomes": [
    // The newest first.
    get(async ({ merchant }) => ({ outcomes: outcomes.list(merchant.id).toReversed() })),
    post(
      201,
      {
        outcome: text(32, { pattern: /^[a-z_]+$/, words: "characters of [a-z_]" }),
        eventId: optional(text(255)),
        code: optional(text(64)),
        message: optional(text(2000, { min: 0 })),
        explanation: optional(list(text(2000), 10)),
        durationMs: optional(integer(0, 86_400_000)),
      },
      async ({ context, merchant }, order) => {
        const absent = { eventId: null, code: null, message: null, durationMs: null };
        const at = writtenTime(context.clock.now());
        const reported = { ...absent, explanation: [], ...order, at };
        outcomes.add(merchant.id, reported);
        streams.send(merchant.id, "outcome", reported);
        return reported;
      },
    ),
  ],
});

interface Pairable {
  readonly deliveryId: string;
  readonly number: number;
  /** Real time, in milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly status: number | null;
  /** True if a fault kept the attempt from the receiver. */
  readonly isUnseen: boolean;
}

/** Milliseconds by which a report may arrive before its attempt is recorded as begun. */
const SKEW_MS = 50;
/** Milliseconds after an attempt in which a report without the event's id may still be about it. */
const LATE_MS = 1000;

/**
 * Finds the outcome of each attempt of an event: the first report that arrived after the attempt began, before the
 * next one of its delivery did, and that fits the attempt's status. Each report is about one attempt, so that
 * two endpoints of an event do not share it.
 */
export function pairOutcomes<A extends Pairable>(
  eventId: string,
  attempts: readonly A[],
  outcomes: readonly ReportedOutcome[],
): Map<A, ReportedOutcome> {
  const free = new Set(outcomes);
  const pairs = new Map<A, ReportedOutcome>();
  for (const attempt of attempts.toSorted((one, other) => one.startedAt - other.startedAt)) {
    const { deliveryId, number, startedAt, durationMs, status, isUnseen } = attempt;
    if (isUnseen) continue;
    const next = attempts.find((one) => one.deliveryId === deliveryId && one.number > number);
    const until = (next?.startedAt ?? Infinity) - SKEW_MS;
    const found = [...free].find((outcome) => {
      const at = Date.parse(outcome.at);
      if (at < startedAt - SKEW_MS || at >= until) return false;
      if (outcome.eventId === null && at > startedAt + durationMs + LATE_MS) return false;
      return (outcome.eventId ?? eventId) === eventId && fits(outcome, status);
    });
    if (found === undefined) continue;
    free.delete(found);
    pairs.set(attempt, found);
  }
  return pairs;
}

/** True if a receiver may have answered an outcome with a status; without an answer any outcome fits. */
function fits({ outcome }: ReportedOutcome, status: number | null): boolean {
  if (status === null) return true;
  const isSuccess = status >= 200 && status < 300;
  return isSuccess !== ["failed", "rejected", "in_progress"].includes(outcome);
}
