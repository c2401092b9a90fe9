import { MistakeError } from "../mistake.ts";
import { standardCatalogue } from "@countersign/schemas";
import type { Attributes, Meter, SpanKind, SpanStatusCode, Tracer } from "@opentelemetry/api";
import { type EventIdentity, eventOf, type Outcome } from "../pipeline/outcome.ts";
import { defaultRespond } from "../pipeline/respond.ts";

export interface TelemetryOptions {
  /** `trace.getTracer("…")` of `@opentelemetry/api`: a span for each outcome. Default: no spans. */
  readonly tracer?: Tracer;
  /** `metrics.getMeter("…")` of `@opentelemetry/api`. Default: no metrics. */
  readonly meter?: Meter;
  /** `messaging.destination.name`: this receiver's name within its process. Default `"webhooks"`. */
  readonly destination?: string;
  /** Event types with a separate series; others are `_OTHER`. Default: the reference catalogue's. */
  readonly types?: readonly string[];
}

// Numbers of OpenTelemetry's specification: importing its enums would load an optional package.
const CONSUMER: SpanKind.CONSUMER = 4;
const ERROR: SpanStatusCode.ERROR = 2;

// OpenTelemetry's semantic conventions advise these bounds, in seconds, for messaging.process.duration.
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/**
 * Returns an observer for `createReceiver({ onOutcome })` that traces and measures attempts and workers' runs.
 *
 * - A span `process <destination>` of kind CONSUMER, within the active context, such as the span of the HTTP request.
 *   Its status is an error if the default answer is 5xx; as with HTTP, a bad signature is the client's error.
 * - `messaging.process.duration`, a histogram in seconds, and `countersign.receiver.outcomes`, a counter.
 *
 * All carry `messaging.system`, `messaging.operation.name` and `.type`, `messaging.destination.name`,
 * `countersign.outcome`, `countersign.event.type` of a verified event, and the code as `error.type`. A worker's run has
 * `countersign.worker.dead`: true if the event is given up. `countersign.event.same_bytes` and
 * `countersign.event.schema_errors` mark events that ran although their bytes were known, or do not fit their schema. Only spans carry the event's id as `messaging.message.id` and
 * `countersign.tenant`: in metrics each would be a separate series. Errors are not recorded, since their messages may
 * contain secrets; a `traceparent` header is ignored, since it is not signed.
 *
 * @throws {TypeError} neither a tracer nor a meter is given.
 */
export function telemetry({
  tracer,
  meter,
  destination = "webhooks",
  types = Object.keys(standardCatalogue.events),
}: TelemetryOptions): (
  outcome: Outcome,
  facts: { readonly durationMs: number; readonly worker?: { readonly dead: boolean } },
) => void {
  if (tracer === undefined && meter === undefined)
    throw new MistakeError('telemetry: expected a "tracer", a "meter" or both');
  const known = new Set(types);
  const duration = meter?.createHistogram("messaging.process.duration", {
    description: "Duration of an attempt, or of a worker's run, with its handler.",
    unit: "s",
    advice: { explicitBucketBoundaries: BOUNDARIES },
  });
  const outcomes = meter?.createCounter("countersign.receiver.outcomes", {
    description: "Attempts, and runs of workers, by outcome.",
    unit: "{outcome}",
  });
  return (outcome, { durationMs, worker }) => {
    const event = eventOf(outcome);
    const attributes: Attributes = {
      "messaging.system": "webhook",
      "messaging.operation.name": "process",
      "messaging.operation.type": "process",
      "messaging.destination.name": destination,
      "countersign.outcome": outcome.kind,
      ...("code" in outcome && { "error.type": outcome.code }),
      ...(worker && { "countersign.worker.dead": worker.dead }),
      ...("sameBytesAs" in outcome && { "countersign.event.same_bytes": true }),
      ...("schemaErrors" in outcome && { "countersign.event.schema_errors": true }),
    };
    // A type is the sender's choice: without a list of known ones the number of series would have no bound.
    const type = event && (known.has(event.type) ? event.type : "_OTHER");
    const measured = {
      ...attributes,
      ...(type !== undefined && { "countersign.event.type": type }),
    };
    duration?.record(durationMs / 1000, measured);
    outcomes?.add(1, measured);
    if (tracer === undefined) return;
    const endTime = Date.now();
    const startTime = endTime - durationMs;
    const span = tracer.startSpan(`process ${destination}`, {
      kind: CONSUMER,
      attributes: { ...attributes, ...(event && spanAttributes(event)) },
      startTime,
    });
    if ("code" in outcome && defaultRespond(outcome).status >= 500)
      span.setStatus({ code: ERROR, message: outcome.code });
    span.end(endTime);
  };
}

const spanAttributes = ({ key: { id, tenant }, type }: EventIdentity): Attributes => ({
  "messaging.message.id": id,
  "countersign.event.type": type,
  ...(tenant !== "" && { "countersign.tenant": tenant }),
});
