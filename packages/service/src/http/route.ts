import type { Socket } from "node:net";
import { type JsonReading, readJson } from "@countersign/rules";
import type { Request, Response } from "express";
import { memberCodeOfJson } from "../error-codes.ts";
import { factsOf, type Logger } from "./log.ts";
import type { Merchant } from "../store/tables/merchants.ts";
import type { StoreWatch } from "../store/watch.ts";
import type { Context } from "../use-cases/context.ts";
import { type Answer, type BodyKind, checkBody, writeAnswer } from "./answer.ts";
import { authenticate, requireScope } from "./auth/bearer.ts";
import { acceptsJson, mediaTypeOf } from "./body.ts";
import { type RateKind, type Rates, sourceOf } from "./limits.ts";
import type { Metrics } from "./metrics.ts";
import { refuse } from "./problem.ts";
import type { RequestBodies } from "./request-bodies.ts";

/** Dependencies of the HTTP interface. */
export interface HttpContext extends Context {
  readonly logger: Logger;
  readonly watch: StoreWatch;
  readonly metrics: Metrics;
  readonly bodies: RequestBodies;
  /** `undefined`: no limits. */
  readonly rates: Rates | undefined;
  /** True if each answer is validated against its schema before it is written. */
  readonly checksAnswers: boolean;
  /** True once the service is about to close. */
  readonly isDraining: () => boolean;
  /** True for a connection beyond those that the process can serve. */
  readonly isExcess: (socket: Socket) => boolean;
}

/** A parsed JSON body, with the source text of its numbers. */
export type JsonBody = Extract<JsonReading, { ok: true }>;

/** A call that has passed the checks common to all routes. */
export interface Call {
  readonly context: HttpContext;
  readonly merchant: Merchant;
  readonly request: Request;
  readonly requestId: string;
}

/** A call with a body. */
export interface BodyCall extends Call {
  readonly body: JsonBody;
}

interface RouteBase {
  /** The profile's scope that the token needs; `undefined` accepts any token. */
  readonly scope: "payments" | "core" | undefined;
  /** Default `others`. */
  readonly rate?: RateKind;
  /** The schema of a successful answer. Default: it is not validated. */
  readonly writes?: BodyKind;
}

export interface GetRoute extends RouteBase {
  readonly method: "GET";
  readonly answer: (call: Call) => Promise<Answer>;
}

export interface BodyRoute extends RouteBase {
  readonly method: "POST" | "PUT";
  readonly answer: (call: BodyCall) => Promise<Answer>;
}

/** One method of one path. `answer` refuses a call by throwing `Refused`. */
export type Route = GetRoute | BodyRoute;

/**
 * Creates the Express handler of a route. The order of the checks reveals nothing to a stranger: path and
 * method have matched, then authentication, scope, rate, media types, size and JSON follow; the route
 * continues with members, key, payment and business rules.
 */
export function serve(
  context: HttpContext,
  route: Route,
): (request: Request, response: Response) => Promise<void> {
  return async (request, response) => {
    const answer = await answerOf(context, route, { request, response });
    if (context.checksAnswers && route.writes !== undefined) {
      checkBody(context.policy, route.writes, answer.body);
    }
    writeAnswer(response, answer);
  };
}

async function answerOf(
  context: HttpContext,
  route: Route,
  { request, response }: { request: Request; response: Response },
): Promise<Answer> {
  const { policy, rates } = context;
  const facts = factsOf(response);
  const caller = await authenticate(
    context,
    request,
    rates && ((token, find) => rates.lookUp({ source: sourceOf(request), token }, find)),
  );
  facts.merchantId = caller.merchant.id;
  if (route.scope !== undefined) requireScope(caller, policy.token.scopes[route.scope]);
  rates?.takeCall(route.rate ?? "others", caller);
  if (!acceptsJson(request.headers.accept)) throw refuse("NOT_ACCEPTABLE");
  if (route.method !== "GET") requireJson(request);
  const call: Call = { context, merchant: caller.merchant, request, requestId: facts.requestId };
  if (route.method === "GET") return route.answer(call);

  const limit = policy.limits.bodyBytes;
  const bytes = await context.bodies.read({ request, response, limit, isAuthenticated: true });
  return route.answer({ ...call, body: parse(bytes, policy.limits.depth) });
}

function requireJson(request: Request): void {
  if (mediaTypeOf(request.headers["content-type"]) === "application/json") return;
  // RFC 9110, section 15.5.16: the media type that is accepted.
  throw refuse("UNSUPPORTED_MEDIA_TYPE", { headers: { accept: "application/json" } });
}

function parse(bytes: Buffer, depth: number): JsonBody {
  const reading = readJson(bytes, { depth, numbers: "all" });
  if (reading.ok) return reading;
  const { code, offset } = reading;
  const message = `The body is not acceptable JSON at offset ${offset}.`;
  throw refuse("INVALID_REQUEST", {
    message,
    errors: [{ pointer: "", code: memberCodeOfJson[code], message }],
  });
}

/** A decoded parameter of the route's path; `undefined` if the matched path has none. */
export function pathParameter(request: Request, name: string): string | undefined {
  const value = request.params[name];
  return typeof value === "string" ? value : undefined;
}
