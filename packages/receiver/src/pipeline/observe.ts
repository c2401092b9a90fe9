import type { FailureCode, Outcome, RejectionCode } from "./outcome.ts";

/** Facts about an outcome: the second argument of `onOutcome`. */
export interface OutcomeFacts {
  /** From the attempt's arrival, or the worker's take, to the outcome, in milliseconds. */
  readonly durationMs: number;
  /** Index of the secret that signed the attempt. */
  readonly secretIndex?: number;
  /** Its label, if it has one. */
  readonly secretLabel?: string;
  /** Status of the answer; absent for `receiver.receive()` and workers. */
  readonly status?: number;
  /** True: the handler's own outcome, after its attempt had to be answered. */
  readonly late?: true;
  /** Present for a worker's run of a stored event. */
  readonly worker?: WorkerFacts;
}

/** A worker's run of a stored event. */
export interface WorkerFacts {
  /** This attempt's number, from 1. */
  readonly attempts: number;
  /** True: the event is given up and listed by `receiver.dead()`. */
  readonly dead: boolean;
}

type Uncoded = Exclude<Outcome["kind"], "failed" | "rejected">;

/** Numbers of outcomes by kind, and of those with a code by code. Plain numbers: print it as JSON. */
export interface OutcomeCounts extends Readonly<Record<Uncoded, number>> {
  /** A code that did not occur is absent. */
  readonly failed: Readonly<Partial<Record<FailureCode, number>>>;
  /** A code that did not occur is absent. */
  readonly rejected: Readonly<Partial<Record<RejectionCode, number>>>;
  /** Stored events that a worker has given up; each is counted under `failed` too. */
  readonly dead: number;
  /** Events that ran although their bytes were known under another id; each is counted under its kind too. */
  readonly sameBytes: number;
  /** Events that ran although their bodies do not fit their schemas; each is counted under its kind too. */
  readonly schemaErrors: number;
}

export interface OutcomeCounters {
  /** For `createReceiver({ onOutcome })`. */
  readonly onOutcome: (
    outcome: Outcome,
    facts?: { readonly worker?: Pick<WorkerFacts, "dead"> },
  ) => void;
  /** Returns the counts since these counters were made. */
  readonly counters: () => OutcomeCounts;
}

/**
 * Counts a receiver's outcomes by kind and code: closed sets, so no sender can make the counters grow. A
 * stored event counts once as `stored` and once for each run of a worker.
 */
export function countOutcomes(): OutcomeCounters {
  const kinds: Record<Uncoded, number> = {
    handled: 0,
    unrouted: 0,
    duplicate: 0,
    superseded: 0,
    ignored: 0,
    stored: 0,
    in_progress: 0,
    handshake: 0,
    batch: 0,
  };
  const failed: Partial<Record<FailureCode, number>> = {};
  const rejected: Partial<Record<RejectionCode, number>> = {};
  let [dead, sameBytes, schemaErrors] = [0, 0, 0];
  return {
    onOutcome(outcome, facts) {
      if (facts?.worker?.dead === true) dead += 1;
      if ("sameBytesAs" in outcome && outcome.sameBytesAs !== undefined) sameBytes += 1;
      if ("schemaErrors" in outcome && outcome.schemaErrors !== undefined) schemaErrors += 1;
      if (outcome.kind === "failed") failed[outcome.code] = (failed[outcome.code] ?? 0) + 1;
      else if (outcome.kind === "rejected")
        rejected[outcome.code] = (rejected[outcome.code] ?? 0) + 1;
      else kinds[outcome.kind] += 1;
    },
    counters: () => ({
      ...kinds,
      failed: { ...failed },
      rejected: { ...rejected },
      dead,
      sameBytes,
      schemaErrors,
    }),
  };
}
