import type { Meter, Span, SpanKind, SpanStatusCode, Tracer } from "@opentelemetry/api";
import type { Outcome } from "../pipeline/outcome.ts";
import type { Attempt } from "../pipeline/body.ts";
import { defaultRespond, type ReceiverResponse } from "../pipeline/respond.ts";
import {
  eventAttributes,
  operationAttributes,
  outcomeAttributes,
  outcomeMetrics,
} from "./outcome-metrics.ts";

export interface InstrumentOptions {
  /** `trace.getTracer("…")` of `@opentelemetry/api`: a span for each attempt. Default: no spans. */
  readonly tracer?: Tracer;
  /** `metrics.getMeter("…")` of `@opentelemetry/api`: the metrics of `outcomeMetrics`. Default: none. */
  readonly meter?: Meter;
  /** `messaging.destination.name`: which of a process's receivers this is. Default `"webhooks"`. */
  readonly destination?: string;
  /** The event types that metrics tell apart; others are `_OTHER`. Default: the standard catalogue's. */
  readonly types?: readonly string[];
}

/** What is watched of a receiver, whatever its catalogue. */
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
 * A receiver whose attempts are traced and measured: mount what this returns.
 *
 * Each attempt is a span `process <destination>` of kind CONSUMER. A handler that is registered on what
 * this returns runs in a span `handle <name>` of its own, a child of the attempt's, or of none where a
 * worker runs it; the handler's own spans are its children. The attempt's span carries the attributes of the metrics, the event's
 * id as `messaging.message.id` and the tenant as `countersign.tenant`. Its status is an error where
 * the default answer is 5xx: a stranger's bad signature is no error of this service, as with HTTP.
 *
 * The metrics are of attempts alone: what workers do with stored events is measured by
 * `onOutcome: outcomeMetrics({ meter })`, beside a tracer here.
 *
 * No `traceparent` is read from the attempt: its headers are not signed, so anyone could join a trace.
 * What a handler threw is not recorded: its message may hold a secret.
 *
 * @throws {TypeError} neither a tracer nor a meter is given.
 */
export function instrument<Watched extends Instrumentable>(
  receiver: Watched,
  { tracer, meter, destination = "webhooks", types }: InstrumentOptions,
): Watched {
  if (tracer === undefined && meter === undefined)
    throw new TypeError('instrument: give a "tracer", a "meter" or both');
  const name = `process ${destination}`;
  const attributes = operationAttributes(destination);
  const record =
    meter === undefined
      ? undefined
      : outcomeMetrics({ meter, destination, ...(types === undefined ? {} : { types }) });

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
      receiver.on(type, tracer === undefined ? handler : traced(tracer, { type, handler }));
      return instrumented;
    },
  };
  return instrumented;
}

/** Left as it is where it is no function: the receiver's own complaint names it. */
function traced(
  tracer: Tracer,
  { type, handler }: { readonly type: never; readonly handler: never },
): never {
  const given: unknown = handler;
  if (typeof given !== "function") return handler;
  // The same handler to the receiver: it takes and returns what the given one does.
  return tracedHandler({ tracer, name: String(type) }, handler) as never;
}

function describe(span: Span, outcome: Outcome): void {
  span.setAttributes({ ...outcomeAttributes(outcome), ...eventAttributes(outcome) });
  if ("code" in outcome && defaultRespond(outcome).status >= 500)
    span.setStatus({ code: ERROR, message: outcome.code });
}

type AnyHandler = (event: never, context: never) => unknown;

/**
 * A handler that runs in a span `handle <name>`, which is active while it runs. It returns, throws and
 * rejects as the handler does; what it throws is not recorded, since its message may hold a secret.
 *
 * @param name The type or category that it is registered for: a name of the catalogue, so that a
 *   sender cannot make names.
 */
function tracedHandler(
  { tracer, name }: { readonly tracer: Tracer; readonly name: string },
  handler: AnyHandler,
): AnyHandler {
  return (event, context) =>
    tracer.startActiveSpan(`handle ${name}`, (span) => {
      const failed = (error: unknown): never => {
        span.setStatus({ code: ERROR });
        span.end();
        throw error;
      };
      let run: unknown;
      try {
        run = handler(event, context);
      } catch (error) {
        return failed(error);
      }
      if (run instanceof Promise)
        return run.then((result: unknown) => {
          span.end();
          return result;
        }, failed);
      span.end();
      return run;
    });
}
