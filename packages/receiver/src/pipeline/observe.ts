import { channel } from "node:diagnostics_channel";
import type { FailureCode, Outcome, RejectionCode } from "./outcome.ts";

/** Known about an outcome, in addition to it: the second argument of `onOutcome`. */
export interface OutcomeFacts {
  /** From the attempt's arrival, or the worker's take, to the outcome, in milliseconds. */
  readonly durationMs: number;
  /** Index of the secret that signed the attempt. */
  readonly secretIndex?: number;
  /** Status of the answer; absent for `receiver.receive()` and workers. */
  readonly status?: number;
  /** True: the attempt was answered before, and this became of its handler. */
  readonly late?: true;
  /** Only if a worker handled a stored event. */
  readonly worker?: WorkerFacts;
}

/** A worker's run of a stored event. */
export interface WorkerFacts {
  /** This attempt's number, from 1. */
  readonly attempts: number;
  /** True: the event is given up and listed by `receiver.dead()`. */
  readonly dead: boolean;
}

/**
 * Published on the channel `countersign:receiver:outcome`, once for every outcome of every receiver in
 * the process.
 *
 * Its members are listed one by one, so that a new member of an outcome is not published by accident:
 * never a body, a header, a secret, or an error with its message.
 */
export interface OutcomeReport extends Omit<OutcomeFacts, "worker"> {
  readonly kind: Outcome["kind"];
  /** The reason, if the outcome is `failed` or `rejected`. */
  readonly code?: RejectionCode | FailureCode;
  /** The tenant that `secrets` named, or `''`. Only with a verified event. */
  readonly tenant?: string;
  /** The event's signed id. Only with a verified event. */
  readonly id?: string;
  /** The event's type. Only with a verified event. */
  readonly type?: string;
  /** How often a worker has run this stored event, from 1. */
  readonly attempts?: number;
  /** True: the worker has given the event up. */
  readonly dead?: boolean;
}

/** The name of the channel: `diagnostics_channel.subscribe(OUTCOME_CHANNEL, (report) => …)`. */
export const OUTCOME_CHANNEL = "countersign:receiver:outcome";

// Channels belong to the process and are found by name: this is a handle, not state.
const outcomes = channel(OUTCOME_CHANNEL);

/**
 * Publishes an outcome to the channel's subscribers. Without one it costs a comparison.
 * A subscriber that throws changes nothing here; Node.js makes it an uncaught exception.
 */
export function publishOutcome(outcome: Outcome, facts: OutcomeFacts): void {
  if (outcomes.hasSubscribers) outcomes.publish(reportOf(outcome, facts));
}

function reportOf(
  outcome: Outcome,
  { durationMs, secretIndex, status, late, worker }: OutcomeFacts,
): OutcomeReport {
  const event = "key" in outcome ? outcome : outcome.event;
  return {
    kind: outcome.kind,
    ...("code" in outcome && { code: outcome.code }),
    ...(event && { tenant: event.key.tenant, id: event.key.id, type: event.type }),
    durationMs,
    ...(secretIndex !== undefined && { secretIndex }),
    ...(status !== undefined && { status }),
    ...(late && { late }),
    ...(worker && { attempts: worker.attempts, dead: worker.dead }),
  };
}

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
    facts?: { readonly worker?: Pick<WorkerFacts, "dead"> },
  ) => void;
  /** Returns the counts since these counters were made. */
  readonly counters: () => OutcomeCounts;
}

/**
 * Counts a receiver's outcomes by kind and code. Kinds and codes are closed sets, so no sender can make
 * the counters grow; types, ids and tenants are not counted. A stored event counts once as `stored` and
 * once for each run of a worker.
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
