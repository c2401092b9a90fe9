import { channel } from "node:diagnostics_channel";
import type { FailureCode, Outcome, RejectionCode } from "./outcome.ts";

/**
 * What is published on the channel `countersign:receiver:outcome`, once for every outcome of every
 * receiver in the process.
 *
 * Its members are listed one by one, so that what an outcome gains later is not published unseen:
 * never a body, a header, a secret, or an error with its message.
 */
export interface OutcomeReport {
  readonly kind: Outcome["kind"];
  /** Why, where the outcome is `failed` or `rejected`. */
  readonly code?: RejectionCode | FailureCode;
  /** The tenant that `secrets` named, `''` where it names none. Only with a verified event. */
  readonly tenant?: string;
  /** The event's signed id. Only with a verified event. */
  readonly id?: string;
  /** The event's type. Only with a verified event. */
  readonly type?: string;
  /** From the attempt's arrival to its outcome, or what a worker took, in milliseconds. */
  readonly durationMs: number;
  /** How often a worker has run this stored event, from 1. Only where a worker did. */
  readonly attempts?: number;
  /** Whether the event is given up, and stands in `receiver.dead()`. Only where a worker ran it. */
  readonly dead?: boolean;
}

/** What is known beside an outcome. */
interface Facts {
  readonly durationMs: number;
  readonly worker?: { readonly attempts: number; readonly dead: boolean };
}

/** The name of the channel: `diagnostics_channel.subscribe(OUTCOME_CHANNEL, (report) => …)`. */
export const OUTCOME_CHANNEL = "countersign:receiver:outcome";

// Channels are the process's own and found by name: this keeps the handle, and no state.
const outcomes = channel(OUTCOME_CHANNEL);

/**
 * Tells the channel's subscribers, if there are any: without one it costs a comparison.
 * A subscriber that throws changes nothing here; Node.js makes it an uncaught exception.
 */
export function publishOutcome(outcome: Outcome, facts: Facts): void {
  if (outcomes.hasSubscribers) outcomes.publish(reportOf(outcome, facts));
}

function reportOf(outcome: Outcome, { durationMs, worker }: Facts): OutcomeReport {
  const event = "key" in outcome ? outcome : outcome.event;
  return {
    kind: outcome.kind,
    ...("code" in outcome ? { code: outcome.code } : {}),
    ...(event === undefined
      ? {}
      : { tenant: event.key.tenant, id: event.key.id, type: event.type }),
    durationMs,
    ...(worker === undefined ? {} : { attempts: worker.attempts, dead: worker.dead }),
  };
}
