import { standardCatalogue } from "@countersign/schemas";
import type { Attributes, Meter } from "@opentelemetry/api";
import type { EventIdentity, Outcome } from "../pipeline/outcome.ts";

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

/** Attributes of every span and measurement (OpenTelemetry, semantic conventions for messaging). */
export function operationAttributes(destination: string): Attributes {
  return {
    "messaging.system": "webhook",
    "messaging.operation.name": "process",
    "messaging.operation.type": "process",
    "messaging.destination.name": destination,
  };
}

/** What was decided, and why: a closed set of values. */
export function outcomeAttributes(outcome: Outcome): Attributes {
  return {
    "countersign.outcome": outcome.kind,
    ...("code" in outcome ? { "error.type": outcome.code } : {}),
  };
}

/** The type of a verified event, for metrics: one that is not in `types` is `_OTHER`. */
function typeAttributes(outcome: Outcome, types: ReadonlySet<string>): Attributes {
  const event = eventOf(outcome);
  if (event === undefined) return {};
  // A type is the sender's choice: one that no list bounds would make series without end.
  return { "countersign.event.type": types.has(event.type) ? event.type : "_OTHER" };
}

/** What tells one verified event from another: for spans alone. Never a body, a header or an error. */
export function eventAttributes(outcome: Outcome): Attributes {
  const event = eventOf(outcome);
  if (event === undefined) return {};
  return {
    "messaging.message.id": event.key.id,
    "countersign.event.type": event.type,
    ...(event.key.tenant === "" ? {} : { "countersign.tenant": event.key.tenant }),
  };
}

const eventOf = (outcome: Outcome): EventIdentity | undefined =>
  "key" in outcome ? outcome : outcome.event;
