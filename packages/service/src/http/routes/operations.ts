import type { Request, RequestHandler, Response } from "express";
import { timingSafeEqual } from "node:crypto";
import { sha256Hex } from "../../sha256.ts";
import { writeAnswer, writeText } from "../answer.ts";
import type { Metrics } from "../metrics.ts";
import { refuse } from "../problem.ts";
import type { HttpContext } from "../route.ts";

/** `GET /healthz`: the process answers. */
export function serveHealth(_request: Request, response: Response): void {
  writeAnswer(response, { status: 200, body: { status: "ok" } });
}

/**
 * `GET /readyz`: the database takes transactions. 503 where it does not, and where the service is about
 * to close, so that no more calls are sent here.
 */
export function serveReadiness({ driver, isDraining }: Pick<HttpContext, "driver" | "isDraining">) {
  return async (_request: Request, response: Response): Promise<void> => {
    if (isDraining()) throw refuse("SERVICE_UNAVAILABLE");
    try {
      await driver.transaction((tx) => tx.query("SELECT 1 AS one"));
    } catch {
      throw refuse("SERVICE_UNAVAILABLE");
    }
    writeAnswer(response, { status: 200, body: { status: "ready" } });
  };
}

export interface ServeMetricsOptions {
  readonly metrics: Pick<Metrics, "text">;
  /** The bearer token of whoever may read them; without it this machine alone may. */
  readonly token: string | undefined;
}

/**
 * `GET /metrics`. How many refunds there are is not for strangers: with a token it is needed, without
 * one only a caller on this machine is answered whom no proxy has passed on.
 */
export function serveMetrics({ metrics, token }: ServeMetricsOptions) {
  return async (request: Request, response: Response): Promise<void> => {
    const isAllowed = token === undefined ? isLocal(request) : hasToken(request, token);
    if (!isAllowed) {
      const challenge = 'Bearer realm="metrics"';
      throw refuse("UNAUTHENTICATED", { headers: { "www-authenticate": challenge } });
    }
    const text = await metrics.text();
    const mediaType = "text/plain; version=0.0.4; charset=utf-8";
    writeText(response, { status: 200, text, mediaType });
  };
}

function isLocal({ socket, headers }: Request): boolean {
  const isForwarded = ["forwarded", "x-forwarded-for", "via"].some((name) => name in headers);
  const { remoteAddress = "" } = socket;
  return !isForwarded && /^(?:::ffff:)?127\.|^::1$/.test(remoteAddress);
}

function hasToken({ headers }: Request, token: string): boolean {
  const sent = /^bearer +(.+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
  return timingSafeEqual(Buffer.from(sha256Hex(sent)), Buffer.from(sha256Hex(token)));
}

/** `GET /openapi.json` and `GET /asyncapi.json`: what the interface is, for whoever asks. */
export function serveDocument(document: object): RequestHandler {
  const text = JSON.stringify(document);
  return (_request, response) => {
    writeText(response, { status: 200, text, mediaType: "application/json" });
  };
}
