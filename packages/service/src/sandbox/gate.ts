import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Service } from "../create-service.ts";
import { problemAnswer, writeAnswer } from "../http/answer.ts";
import { authenticate } from "../http/auth/bearer.ts";
import { Refused } from "../http/problem.ts";
import { newId } from "../random.ts";
import { faultRouteOf, injectFault, type Faults } from "./faults.ts";
import { guard } from "./guard.ts";
import type { Inspector } from "./inspector/page.ts";
import { refuse } from "./refusals.ts";
import type { Streams } from "./streams.ts";

export interface GateOptions {
  readonly service: Pick<Service, "app" | "context">;
  readonly faults: Faults;
  readonly streams: Streams;
  /** `undefined` without a page. */
  readonly inspector: Inspector | undefined;
  /** See `guard`. */
  readonly allowedHosts: readonly string[];
}

/**
 * Handles calls before the service: guards the controls against web pages, serves the page and the
 * stream, and applies faults to calls of the interface.
 */
export function gate(options: GateOptions): RequestListener {
  const { policy, random } = options.service.context;
  return (request, response) => {
    pass(options, request, response).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) return;
      const { refusal } = error instanceof Refused ? error : refuse("INTERNAL_SERVER_ERROR");
      const requestId = newId(random, "req");
      response.setHeader("x-request-id", requestId);
      writeAnswer(response, problemAnswer(policy, refusal, requestId));
    });
  };
}

async function pass(
  { service, faults, streams, inspector, allowedHosts }: GateOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (inspector !== undefined && /^\/inspector(?:\/|$)/i.test(pathOf(request))) {
    guard(request, allowedHosts, { isPage: pathOf(request) === "/inspector/" });
    if (!(await inspector.take(request, response, pathOf(request)))) return;
  }
  // Calls of the page now have the path of the call that they make.
  const path = pathOf(request);
  // Case-insensitively: paths that Express does not route are refused anyway.
  if (/^\/sandbox(?:\/|$)/i.test(path)) {
    guard(request, allowedHosts);
    if (path === "/sandbox/stream") {
      if (request.method !== "GET")
        throw refuse("METHOD_NOT_ALLOWED", { headers: { allow: "GET" } });
      const { merchant } = await authenticate(service.context, request);
      streams.open(merchant.id, response);
      return;
    }
    readAbsentBodyAsEmpty(request);
    readTokenOfVerifier(request, path);
  } else if (!faults.isEmpty) {
    const route = faultRouteOf(request.method, path);
    // A fault needs a namespace, and a namespace a valid token: without one the service refuses the call.
    const caller = route && (await authenticate(service.context, request).catch(ignoreRefusal));
    const fault = route && caller && faults.take(caller.merchant.id, route);
    if (fault !== undefined && !(await injectFault(fault, request, response))) return;
  }
  service.app(request, response);
}

function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof Refused)) throw error;
}

/** Also of the absolute form, which Express routes by its path (RFC 9112, section 3.2.2). */
function pathOf({ url = "/" }: IncomingMessage): string {
  return url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, "").replace(/\?.*$/s, "");
}

/**
 * Treats a POST or PUT without a body as `{}`: controls without members should not need one. With a
 * body the media type is checked as everywhere.
 */
function readAbsentBodyAsEmpty(request: IncomingMessage): void {
  const { method, headers } = request;
  if (method !== "POST" && method !== "PUT") return;
  if (headers["transfer-encoding"] !== undefined) return;
  if (Number(headers["content-length"] ?? 0) !== 0) return;
  headers["content-type"] = "application/json";
  delete headers["content-length"];
  request.unshift(Buffer.from("{}"));
}

/**
 * Lets Pact's verifier name the token in a separate header: it adds the headers that it is given to every call,
 * also to those of the interface, whose `Authorization` is the pact's.
 */
function readTokenOfVerifier({ headers, headersDistinct }: IncomingMessage, path: string): void {
  const token = headers["countersign-token"];
  if (typeof token !== "string" || !/^\/sandbox\/(?:states|messages)$/.test(path)) return;
  headersDistinct["authorization"] = [`Bearer ${token}`];
}
