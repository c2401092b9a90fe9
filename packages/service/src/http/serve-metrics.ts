import { timingSafeEqual } from "node:crypto";
import type { Request, Response } from "express";
import { sha256Hex } from "../sha256.ts";
import { writeText } from "./answer.ts";
import type { Metrics } from "./metrics.ts";
import { refuse } from "./refuse.ts";

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
