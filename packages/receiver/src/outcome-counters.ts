import type { FailureCode, Outcome, RejectionCode } from "./outcome.ts";

/** How many outcomes there were, by kind; those with a code, by code. Plain numbers: print it as JSON. */
export interface OutcomeCounts {
  readonly handled: number;
  readonly unrouted: number;
  readonly duplicate: number;
  readonly superseded: number;
  readonly stored: number;
  readonly in_progress: number;
  /** Only the codes that occurred. */
  readonly failed: Readonly<Partial<Record<FailureCode, number>>>;
  /** Only the codes that occurred. */
  readonly rejected: Readonly<Partial<Record<RejectionCode, number>>>;
  /** Stored events that a worker has given up; each is counted under `failed` too. */
  readonly dead: number;
}

export interface OutcomeCounters {
  /** For `createReceiver({ onOutcome })`. */
  readonly onOutcome: (
    outcome: Outcome,
    facts?: { readonly worker?: { readonly dead: boolean } },
  ) => void;
  /** The counts since these counters were made, as an object of its own. */
  readonly counters: () => OutcomeCounts;
}

/**
 * Counts a receiver's outcomes by kind and code. Kinds and codes are closed sets, so that no sender
 * can make the counters grow; types, ids and tenants are not counted. A stored event counts once as
 * `stored` and once for each run of a worker.
 */
export function countOutcomes(): OutcomeCounters {
  const kinds = { handled: 0, unrouted: 0, duplicate: 0, superseded: 0, stored: 0, in_progress: 0 };
  const failed: Partial<Record<FailureCode, number>> = {};
  const rejected: Partial<Record<RejectionCode, number>> = {};
  let dead = 0;
  return {
    onOutcome(outcome, facts) {
      if (facts?.worker?.dead === true) dead += 1;
      switch (outcome.kind) {
        case "failed":
          failed[outcome.code] = (failed[outcome.code] ?? 0) + 1;
          return;
        case "rejected":
          rejected[outcome.code] = (rejected[outcome.code] ?? 0) + 1;
          return;
        case "handled":
        case "unrouted":
        case "duplicate":
        case "superseded":
        case "stored":
        case "in_progress":
          kinds[outcome.kind] += 1;
          return;
        default:
          outcome satisfies never;
      }
    },
    counters: () => ({ ...kinds, failed: { ...failed }, rejected: { ...rejected }, dead }),
  };
}
