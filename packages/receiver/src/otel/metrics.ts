import { standardCatalogue } from "@countersign/schemas";
import type { Attributes, Meter } from "@opentelemetry/api";
import type { Inbox } from "../inbox/inbox.ts";
import type { EventIdentity, Outcome } from "../pipeline/outcome.ts";

export interface OutcomeMetricsOptions {
  /** `metrics.getMeter("…")` of `@opentelemetry/api`. */
  readonly meter: Meter;
  /** `messaging.destination.name`: this receiver's name within its process. Default `"webhooks"`. */
  readonly destination?: string;
  /** Event types with a separate series; others are `_OTHER`. Default: the standard catalogue's. */
  readonly types?: readonly string[];
}

/** The part of the facts of `onOutcome` that the metrics read. */
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
 * A worker's run of a stored event has `countersign.worker.dead`: true if the event is given up.
 * Ids and tenants are left out: each would be a separate series.
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
    description: "Attempts, and runs of workers, by outcome.",
    unit: "{outcome}",
  });
  // A type is the sender's choice: without a list of known ones the number of series would have no bound.
  const typeOf = (outcome: Outcome): Attributes => {
    const type = eventOf(outcome)?.type;
    return type === undefined
      ? {}
      : { "countersign.event.type": known.has(type) ? type : "_OTHER" };
  };
  return (outcome, { durationMs, worker }) => {
    const attributes = {
      ...operationAttributes(destination),
      ...outcomeAttributes(outcome),
      ...typeOf(outcome),
      ...(worker && { "countersign.worker.dead": worker.dead }),
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

/** The decision and its code, from closed sets. */
export function outcomeAttributes(outcome: Outcome): Attributes {
  return {
    "countersign.outcome": outcome.kind,
    ...("code" in outcome && { "error.type": outcome.code }),
  };
}

/** Identifies a verified event, for spans only. Never a body, a header or an error. */
export function eventAttributes(outcome: Outcome): Attributes {
  const event = eventOf(outcome);
  if (event === undefined) return {};
  return {
    "messaging.message.id": event.key.id,
    "countersign.event.type": event.type,
    ...(event.key.tenant !== "" && { "countersign.tenant": event.key.tenant }),
  };
}

const eventOf = (outcome: Outcome): EventIdentity | undefined =>
  "key" in outcome ? outcome : outcome.event;

export interface InboxMetricsOptions {
  /** `metrics.getMeter("…")` of `@opentelemetry/api`. */
  readonly meter: Meter;
  /** The receiver's inbox: `sqliteInbox` or `postgresInbox`. */
  readonly inbox: Pick<Inbox, "queue">;
  /** The same as for `outcomeMetrics`. Default `"webhooks"`. */
  readonly destination?: string;
  /** Time after which a due event is overdue, in milliseconds. Default 120,000: two leases. */
  readonly overdueMs?: number;
  /** The receiver's clock. Default `Date.now`. */
  readonly now?: () => number;
}

/**
 * Gauges of the stored events that no worker has handled, read from the inbox at each export. One process
 * per inbox is enough.
 *
 * - `countersign.inbox.unhandled` and `countersign.inbox.overdue`, in events.
 * - `countersign.inbox.oldest_age`, in seconds since the oldest of them was stored, or 0.
 *
 * @throws {TypeError} the inbox keeps no events for workers.
 */
export function inboxMetrics({
  meter,
  inbox: { queue },
  destination = "webhooks",
  overdueMs = 120_000,
  now = Date.now,
}: InboxMetricsOptions): void {
  if (queue === undefined)
    throw new TypeError("inboxMetrics: expected sqliteInbox or postgresInbox, which keep events");
  const gauge = (name: string, unit: string, description: string) =>
    meter.createObservableGauge(`countersign.inbox.${name}`, { unit, description });
  const unhandled = gauge("unhandled", "{event}", "Stored events that no worker has handled.");
  const overdue = gauge("overdue", "{event}", "Unhandled events that should have been handled.");
  const oldest = gauge("oldest_age", "s", "Time since the oldest unhandled event was stored.");
  const attributes = { "messaging.destination.name": destination };
  meter.addBatchObservableCallback(
    async (result) => {
      const at = now();
      const status = await queue.status({ dueBefore: at - overdueMs });
      result.observe(unhandled, status.unhandled, attributes);
      result.observe(overdue, status.overdue, attributes);
      const { storedAt = at } = status.oldest ?? {};
      result.observe(oldest, (at - storedAt) / 1000, attributes);
    },
    [unhandled, overdue, oldest],
  );
}
