import type { SpanStatusCode, Tracer } from "@opentelemetry/api";

type AnyHandler = (event: never, context: never) => unknown;

// A number of OpenTelemetry's specification: importing its enums would load an optional package.
const ERROR: SpanStatusCode.ERROR = 2;

/**
 * A handler that runs in a span `handle <name>`, which is active while it runs. It returns, throws and
 * rejects as the handler does; what it throws is not recorded, since its message may hold a secret.
 *
 * @param name The type or category that it is registered for: a name of the catalogue, so that a
 *   sender cannot make names.
 */
export function tracedHandler(
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
