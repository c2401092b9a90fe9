import type { Request, RequestHandler } from "express";
import { factsOf } from "./facts.ts";
import type { HttpContext } from "./http-context.ts";

/** Writes one line for each call, and counts it, when its answer is out, or when the caller has gone before. */
export function logCall({ logger, metrics }: HttpContext): RequestHandler {
  return (request, response, next) => {
    // A duration is no time of day: no injected clock is involved.
    const startedAt = performance.now();
    response.on("close", () => {
      const { requestId, merchantId, errorCode } = factsOf(response);
      const route = patternOf(request);
      const durationMs = performance.now() - startedAt;
      // A call that was given up has no status: the default one was never sent.
      const status = response.writableFinished ? response.statusCode : undefined;
      metrics.called({ method: request.method, route, status, seconds: durationMs / 1000 });
      logger.info(
        {
          requestId,
          method: request.method,
          durationMs: Math.round(durationMs),
          ...(status !== undefined && { status }),
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
