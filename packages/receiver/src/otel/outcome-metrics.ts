import { standardCatalogue } from "@countersign/schemas";
import type { Meter } from "@opentelemetry/api";
import type { Outcome } from "../pipeline/outcome.ts";
import { operationAttributes, outcomeAttributes, typeAttributes } from "./attributes.ts";

export interface OutcomeMetricsOptions {
  /** `metrics.getMeter("…")` of `@opentelemetry/api`. */
  readonly meter: Meter;
  /** `messaging.destination.name`: which of a process's receivers this is. Default `"webhooks"`. */
  readonly destination?: string;
  /** The event types that have a series of their own; others are `_OTHER`. Default: the standard catalogue's. */
  readonly types?: readonly string[];
}

/** What the metrics read of the facts that `onOutcome` gets. */
export interface MeasuredFacts {
  readonly durationMs: number;
  readonly worker?: { readonly dead: boolean };
}

// OpenTelemetry's semantic conventions advise these bounds, in seconds, for messaging.process.duration.
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/**
 * Metrics of a receiver's outcomes, for `createReceiver({ onOutcome })`.
 *
 * - `messaging.process.duration`, a histogram in seconds.
 * - `countersign.receiver.outcomes`, a counter.
 *
 * Both carry `messaging.system`, `messaging.operation.name` and `.type`, `messaging.destination.name`,
 * `countersign.outcome`, `countersign.event.type` of a verified event, and the code as `error.type`.
 * A worker's run of a stored event has `countersign.worker.dead`: whether the event is given up.
 * No id and no tenant: they would make a series each.
 */
export function outcomeMetrics({
  meter,
  destination = "webhooks",
  types = Object.keys(standardCatalogue.events),
}: OutcomeMetricsOptions): (outcome: Outcome, facts: MeasuredFacts) => void {
  const known = new Set(types);
  const duration = meter.createHistogram("messaging.process.duration", {
    description: "Duration of an attempt, or of a worker's run, with its handler.",
    unit: "s",
    advice: { explicitBucketBoundaries: BOUNDARIES },
  });
  const outcomes = meter.createCounter("countersign.receiver.outcomes", {
    description: "Attempts, and runs of workers, by what became of them.",
    unit: "{outcome}",
  });
  return (outcome, { durationMs, worker }) => {
    const attributes = {
      ...operationAttributes(destination),
      ...outcomeAttributes(outcome),
      ...typeAttributes(outcome, known),
      ...(worker === undefined ? {} : { "countersign.worker.dead": worker.dead }),
    };
    duration.record(durationMs / 1000, attributes);
    outcomes.add(1, attributes);
  };
}
