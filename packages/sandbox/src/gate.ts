import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import {
  authenticate,
  findClient,
  newId,
  problemAnswer,
  RateLimiter,
  Refused,
  writeAnswer,
  type Policy,
  type Random,
  type Service,
} from "@countersign/service/internal";
import { faultRouteOf, injectFault, type FaultRoute, type Faults } from "./faults.ts";
import { guard } from "./guard.ts";
import type { Inspector } from "./inspector/page.ts";
import { refuse } from "./refusals.ts";
import type { Streams } from "./streams.ts";
import { namedClient } from "./token-client.ts";

export interface GateOptions {
  readonly service: Pick<Service, "app" | "driver" | "clock" | "bodies">;
  readonly policy: Policy;
  readonly random: Random;
  readonly faults: Faults;
  readonly streams: Streams;
  /** `undefined` without a page. */
  readonly inspector: Inspector | undefined;
  /** See `guard`. */
  readonly allowedHosts: readonly string[];
  readonly limiters: Limiters;
}

type Limiters = Readonly<Record<"refunds" | "tokens" | "others", RateLimiter>>;

function limitersOf({ rateLimit }: Policy): Limiters {
  const { refundsPerSecond, tokensPerMinute, othersPerSecond } = rateLimit;
  return {
    refunds: new RateLimiter({ calls: refundsPerSecond, perMs: 1000 }),
    tokens: new RateLimiter({ calls: tokensPerMinute, perMs: 60_000 }),
    others: new RateLimiter({ calls: othersPerSecond, perMs: 1000 }),
  };
}

/** Refuses a call of a namespace beyond the profile's rates (S 8). @throws {Refused} `RATE_LIMITED` */
function takeRate({ limiters, service }: GateOptions, route: FaultRoute, merchantId: string): void {
  const { refunds, tokens, others } = limiters;
  const limiter =
    route === "POST /v1/refunds" ? refunds : route === "POST /v1/tokens" ? tokens : others;
  const waitMs = limiter.take(merchantId, service.clock.elapsed());
  if (waitMs === 0) return;
  const headers = { "retry-after": String(Math.ceil(waitMs / 1000)) };
  throw refuse("RATE_LIMITED", { headers });
}

/**
 * Handles calls before the service: guards the controls against web pages, serves the page and the
 * stream, and applies faults to calls of the interface.
 */
export function gate(given: Omit<GateOptions, "limiters">): RequestListener {
  const options = { ...given, limiters: limitersOf(given.policy) };
  return (request, response) => {
    pass(options, request, response).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) return;
      const { refusal } = error instanceof Refused ? error : refuse("INTERNAL_SERVER_ERROR");
      const requestId = newId(options.random, "req");
      response.setHeader("x-request-id", requestId);
      writeAnswer(response, problemAnswer(options.policy, refusal, requestId));
    });
  };
}

async function pass(
  options: GateOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { inspector, allowedHosts } = options;
  if (inspector !== undefined && /^\/inspector(?:\/|$)/i.test(pathOf(request))) {
    guard(request, allowedHosts, { isPage: pathOf(request) === "/inspector/" });
    if (!(await inspector.take(request, response, pathOf(request)))) return;
  }
  // Calls of the page now have the path of the call that they make.
  const path = pathOf(request);
  // Case-insensitively: paths that Express does not route are refused anyway.
  if (/^\/sandbox(?:\/|$)/i.test(path)) {
    guard(request, allowedHosts);
    if (path === "/sandbox/stream") return openStream(options, request, response);
    readAbsentBodyAsEmpty(request);
    readTokenOfVerifier(request, path);
  } else if (!(await survivesFault(options, request, response))) {
    return;
  }
  options.service.app(request, response);
}

/** Also of the absolute form, which Express routes by its path (RFC 9112, section 3.2.2). */
function pathOf({ url = "/" }: IncomingMessage): string {
  return url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, "").replace(/\?.*$/s, "");
}

async function openStream(
  { service, streams }: GateOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== "GET") {
    throw refuse("METHOD_NOT_ALLOWED", { headers: { allow: "GET" } });
  }
  const { merchant } = await authenticate(service, request);
  const { "last-event-id": after } = request.headers;
  await streams.open(merchant.id, response, typeof after === "string" ? after : undefined);
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

/** Applies the next fault of this call. @returns True if the service answers the call. */
async function survivesFault(
  options: GateOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const { service, faults, policy } = options;
  const route = faultRouteOf(request.method, pathOf(request), policy.token.path);
  if (route === undefined || faults.isEmpty) return true;
  let merchantId: string | undefined;
  if (route === "POST /v1/tokens") {
    // No token yet: the namespace is that of the client that the call names.
    const clientId = await namedClient(options, request, response);
    merchantId = clientId && (await findClient(service.driver, clientId))?.merchantId;
  } else {
    // A fault needs a namespace, and a namespace a valid token: the service refuses the call by itself.
    merchantId = await authenticate(service, request).then(
      ({ merchant }) => merchant.id,
      (error: unknown) => {
        if (error instanceof Refused) return undefined;
        throw error;
      },
    );
  }
  if (merchantId !== undefined && faults.limited.has(merchantId))
    takeRate(options, route, merchantId);
  const fault = merchantId && faults.take(merchantId, route);
  return fault ? injectFault(fault, request, response) : true;
}
