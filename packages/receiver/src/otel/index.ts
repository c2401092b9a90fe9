import type { Meter, Span, SpanKind, SpanStatusCode, Tracer } from "@opentelemetry/api";
import type { Attempt } from "../pipeline/body.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { defaultRespond, type ReceiverResponse } from "../pipeline/respond.ts";
import {
  eventAttributes,
  operationAttributes,
  outcomeAttributes,
  outcomeMetrics,
} from "./metrics.ts";

export {
  inboxMetrics,
  type InboxMetricsOptions,
  type MeasuredFacts,
  outcomeMetrics,
  type OutcomeMetricsOptions,
} from "./metrics.ts";

export interface InstrumentOptions {
  /** `trace.getTracer("…")` of `@opentelemetry/api`: a span for each attempt. Default: no spans. */
  readonly tracer?: Tracer;
  /** `metrics.getMeter("…")` of `@opentelemetry/api`: the metrics of `outcomeMetrics`. Default: none. */
  readonly meter?: Meter;
  /** `messaging.destination.name`: this receiver's name within its process. Default `"webhooks"`. */
  readonly destination?: string;
  /** Event types with a separate series; others are `_OTHER`. Default: the standard catalogue's. */
  readonly types?: readonly string[];
}

/** The part of a receiver that is instrumented, for any catalogue. */
export interface Instrumentable {
  receive(attempt: Attempt): Promise<Outcome>;
  answer(attempt: Attempt): Promise<{
    readonly outcome: Outcome;
    readonly response: ReceiverResponse;
  }>;
  on(name: never, handler: never): unknown;
}

// Numbers of OpenTelemetry's specification: importing its enums would load an optional package.
const CONSUMER: SpanKind.CONSUMER = 4;
const ERROR: SpanStatusCode.ERROR = 2;

/**
 * Returns a receiver whose attempts are traced and measured: mount this one.
 *
 * Each attempt is a span `process <destination>` of kind CONSUMER, with the attributes of the metrics, the
 * event's id as `messaging.message.id` and the tenant as `countersign.tenant`. Its status is an error if
 * the default answer is 5xx; as with HTTP, a bad signature is the client's error. A handler registered on
 * the returned receiver runs in a child span `handle <name>`; in a worker that span has no parent.
 *
 * The metrics cover attempts only. For the workers' runs, pass `onOutcome: outcomeMetrics({ meter })` to
 * `createReceiver` and only a tracer here.
 *
 * A `traceparent` header is ignored: it is not signed, so anyone could join a trace. Errors of handlers are
 * not recorded: their messages may contain secrets.
 *
 * @throws {TypeError} neither a tracer nor a meter is given.
 */
export function instrument<Watched extends Instrumentable>(
  receiver: Watched,
  { tracer, meter, destination = "webhooks", types }: InstrumentOptions,
): Watched {
  if (tracer === undefined && meter === undefined)
    throw new TypeError('instrument: expected a "tracer", a "meter" or both');
  const name = `process ${destination}`;
  const attributes = operationAttributes(destination);
  const record = meter && outcomeMetrics({ meter, destination, ...(types && { types }) });

  const measured = async <Result>(
    run: () => Promise<Result>,
    outcomeOf: (result: Result) => Outcome,
  ): Promise<Result> => {
    const startedAt = performance.now();
    const result = await run();
    record?.(outcomeOf(result), { durationMs: performance.now() - startedAt });
    return result;
  };
  const watched = <Result>(
    run: () => Promise<Result>,
    outcomeOf: (result: Result) => Outcome,
  ): Promise<Result> => {
    if (tracer === undefined) return measured(run, outcomeOf);
    return tracer.startActiveSpan(name, { kind: CONSUMER, attributes }, async (span) => {
      try {
        const result = await measured(run, outcomeOf);
        describe(span, outcomeOf(result));
        return result;
      } finally {
        span.end();
      }
    });
  };

  const instrumented = {
    ...receiver,
    receive: (attempt: Attempt) =>
      watched(
        () => receiver.receive(attempt),
        (outcome) => outcome,
      ),
    answer: (attempt: Attempt) =>
      watched(
        () => receiver.answer(attempt),
        ({ outcome }) => outcome,
      ),
    on(type: never, handler: never) {
      receiver.on(type, tracer === undefined ? handler : traced(tracer, type, handler));
      return instrumented;
    },
  };
  return instrumented;
}

function describe(span: Span, outcome: Outcome): void {
  span.setAttributes({ ...outcomeAttributes(outcome), ...eventAttributes(outcome) });
  if ("code" in outcome && defaultRespond(outcome).status >= 500)
    span.setStatus({ code: ERROR, message: outcome.code });
}

/**
 * Returns a handler that runs in a span `handle <name>`, and returns, throws and rejects as the given one
 * does. The name is of the catalogue, so a sender cannot make names.
 */
function traced(tracer: Tracer, name: never, given: never): never {
  // The receiver's own error reports what is not a function.
  if (typeof given !== "function") return given;
  const handler: (event: never, context: never) => unknown = given;
  const run = (event: never, context: never): unknown =>
    tracer.startActiveSpan(`handle ${String(name)}`, (span) => {
      const failed = (error: unknown): never => {
        span.setStatus({ code: ERROR });
        span.end();
        throw error;
      };
      let result: unknown;
      try {
        result = handler(event, context);
      } catch (error) {
        return failed(error);
      }
      if (result instanceof Promise)
        return result.then((value: unknown) => {
          span.end();
          return value;
        }, failed);
      span.end();
      return result;
    });
  // To the receiver it is the same handler.
  return run as never;
}
