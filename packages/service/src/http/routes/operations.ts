import type { Request, RequestHandler, Response } from "express";
import { timingSafeEqual } from "node:crypto";
import { sha256Hex } from "../../secrets/vault.ts";
import { writeAnswer, writeText } from "../answer.ts";
import type { Metrics } from "../metrics.ts";
import { refuse } from "../problem.ts";
import type { HttpContext } from "../route.ts";

/** `GET /healthz`: the process answers. */
export function serveHealth(_request: Request, response: Response): void {
  writeAnswer(response, { status: 200, body: { status: "ok" } });
}

/**
 * `GET /readyz`: the database takes writes and its disk has room. 503, which names the failing checks, if not, and
 * if the service is about to close, so that no more calls are sent here. The log has the cause.
 */
export function serveReadiness({ watch, isDraining }: Pick<HttpContext, "watch" | "isDraining">) {
  return async (_request: Request, response: Response): Promise<void> => {
    const failing = isDraining() ? ["draining"] : await watch.check();
    if (failing.length > 0) {
      const message = `The service is not ready: ${failing.join(", ")}.`;
      throw refuse("SERVICE_UNAVAILABLE", { message, headers: { "retry-after": "1" } });
    }
    writeAnswer(response, { status: 200, body: { status: "ready" } });
  };
}

export interface ServeMetricsOptions {
  readonly metrics: Pick<Metrics, "text">;
  /** The bearer token that reads the metrics; without one only programs on this machine do. */
  readonly token: string | undefined;
}

/**
 * `GET /metrics`. The number of refunds is not for strangers: with a token every caller needs it,
 * without one only programs on this machine are answered.
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

/** Headers in which proxies say that they forward a call, or for whom. */
const FORWARDING =
  /forwarded|^via$|^cdn-loop$|^cf-|(?:client|real|connecting|cluster|user|remote|socket|external)-?(?:ip|addr)/;

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * True if a program on this machine made the call itself. A page that rebinds its name to 127.0.0.1
 * sends its own name as `Host`; a proxy names itself in a header, or speaks HTTP/1.0 as nginx does by
 * default.
 */
function isLocal({ socket, headers, httpVersion }: Request): boolean {
  const { remoteAddress = "" } = socket;
  return (
    /^(?:::ffff:)?127\.|^::1$/.test(remoteAddress) &&
    httpVersion === "1.1" &&
    LOOPBACK_HOST.test(headers.host ?? "") &&
    !Object.keys(headers).some((name) => FORWARDING.test(name))
  );
}

function hasToken({ headers }: Request, token: string): boolean {
  const sent = /^bearer +(\S.*)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
  return timingSafeEqual(Buffer.from(sha256Hex(sent)), Buffer.from(sha256Hex(token)));
}

/** `GET /openapi.json` and `GET /asyncapi.json`: the interface's documents, for everyone. Each is made when it is first read. */
export function serveDocument(make: () => object): RequestHandler {
  let text: string | undefined;
  return (_request, response) => {
    text ??= JSON.stringify(make());
    writeText(response, { status: 200, text, mediaType: "application/json" });
  };
}
