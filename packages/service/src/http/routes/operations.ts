import type { Request, RequestHandler, Response } from "express";
import { timingSafeEqual } from "node:crypto";
import { sha256Hex } from "../../secrets/vault.ts";
import { writeAnswer } from "../answer.ts";
import type { Metrics } from "../metrics.ts";
import { refuse } from "../problem.ts";
import type { HttpContext } from "../route.ts";

/** `GET /healthz`: the process answers. */
export function serveHealth(_request: Request, response: Response): void {
  writeAnswer(response, { status: 200, body: { status: "ok" } });
}

/** `GET /readyz`: the database can be used and its disk has room; if not, the 503 names what fails, and the log why. */
export function serveReadiness({ watch }: Pick<HttpContext, "watch">) {
  return async (_request: Request, response: Response): Promise<void> => {
    const failing = await watch.failing();
    if (failing !== undefined) {
      const message = `The service is not ready: ${failing}.`;
      throw refuse("SERVICE_UNAVAILABLE", { message, headers: { "retry-after": "1" } });
    }
    writeAnswer(response, { status: 200, body: { status: "ready" } });
  };
}

/**
 * `GET /metrics`, for callers with the token; without one nobody may read them: a proxy on this machine may pass
 * strangers' calls on so that they look like its own.
 */
export function serveMetrics(metrics: Pick<Metrics, "text">, token: string | undefined) {
  return async (request: Request, response: Response): Promise<void> => {
    if (token === undefined || !hasToken(request, token)) {
      const challenge = 'Bearer realm="metrics"';
      throw refuse("UNAUTHENTICATED", { headers: { "www-authenticate": challenge } });
    }
    const mediaType = "text/plain; version=0.0.4; charset=utf-8";
    writeAnswer(response, { status: 200, body: await metrics.text(), mediaType });
  };
}

function hasToken({ headers }: Request, token: string): boolean {
  const sent = /^bearer +(\S.*)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
  return timingSafeEqual(Buffer.from(sha256Hex(sent)), Buffer.from(sha256Hex(token)));
}

/** `GET /openapi.json` and `GET /asyncapi.json`: the interface's documents, for everyone, made when first read. */
export function serveDocument(make: () => object): RequestHandler {
  let body: string | undefined;
  return (_request, response) => {
    body ??= JSON.stringify(make());
    writeAnswer(response, { status: 200, body });
  };
}
