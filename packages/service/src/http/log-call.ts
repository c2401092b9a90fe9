import type { Request, RequestHandler } from "express";
import { factsOf } from "./facts.ts";
import type { Logger } from "./logger.ts";

/** Writes one line for each call when its answer is out, or when the caller has gone before. */
export function logCall(logger: Logger): RequestHandler {
  return (request, response, next) => {
    // A duration is no time of day: no injected clock is involved.
    const startedAt = performance.now();
    response.on("close", () => {
      const { requestId, merchantId, errorCode } = factsOf(response);
      const route = patternOf(request);
      logger.info(
        {
          requestId,
          method: request.method,
          durationMs: Math.round(performance.now() - startedAt),
          // A call that was given up has no status: the default one was never sent.
          ...(response.writableFinished && { status: response.statusCode }),
          ...(route !== undefined && { route }),
          ...(merchantId !== undefined && { merchantId }),
          ...(errorCode !== undefined && { errorCode }),
        },
        response.writableFinished ? "call" : "call given up",
      );
    });
    next();
  };
}

function patternOf(request: Request): string | undefined {
  // Express types the route as `any`; it is absent where no path matched.
  const route = request.route as { path?: unknown } | undefined;
  return typeof route?.path === "string" ? route.path : undefined;
}
