import { type JsonReading, readJson } from "@countersign/rules";
import type { Request, Response } from "express";
import { memberCodeOfJson } from "../error-codes.ts";
import { factsOf, type Logger } from "./log.ts";
import type { Merchant } from "../store/tables/merchants.ts";
import type { StoreWatch } from "../store/watch.ts";
import type { Context } from "../use-cases/context.ts";
import { type Answer, writeAnswer } from "./answer.ts";
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
  readonly rates: Rates;
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

/** A method of a path. `answer` refuses a call by throwing `Refused`. */
interface RouteOf<Method extends string, Checked> {
  readonly method: Method;
  /** The profile's scope that the token needs; `undefined` accepts any token. */
  readonly scope: "payments" | "core" | undefined;
  /** The limit that its calls count under. Default `others`. */
  readonly rate?: RateKind | "none";
  readonly answer: (call: Checked) => Promise<Answer>;
}

export type GetRoute = RouteOf<"GET", Call>;
export type BodyRoute = RouteOf<"POST" | "PUT", BodyCall>;
export type Route = GetRoute | BodyRoute;

type Handler = (request: Request, response: Response) => Promise<void>;

/**
 * Creates the Express handler of a route. The order of the checks reveals nothing to a stranger: path and
 * method have matched, then authentication, scope, rate, media types, size and JSON follow; the route
 * continues with members, key, payment and business rules.
 */
export function serve(context: HttpContext, route: Route): Handler {
  const { policy, rates } = context;
  const { bodyBytes: limit, depth } = policy.limits;
  const answerOf = async (request: Request, response: Response): Promise<Answer> => {
    const facts = factsOf(response);
    const source = sourceOf(request);
    const caller = await authenticate(context, request, (find) => rates.lookUp(source, find));
    facts.merchantId = caller.merchant.id;
    if (route.scope !== undefined) requireScope(caller, policy.token.scopes[route.scope]);
    if (route.rate !== "none") rates.takeCall(route.rate ?? "others", caller);
    if (!acceptsJson(request.headers.accept)) throw refuse("NOT_ACCEPTABLE");
    const call: Call = { context, merchant: caller.merchant, request, requestId: facts.requestId };
    if (route.method === "GET") return route.answer(call);

    // RFC 9110, section 15.5.16: the media type that is accepted.
    if (mediaTypeOf(request.headers["content-type"]) !== "application/json")
      throw refuse("UNSUPPORTED_MEDIA_TYPE", { headers: { accept: "application/json" } });
    const bytes = await context.bodies.read({ request, response, limit, isAuthenticated: true });
    return route.answer({ ...call, body: parse(bytes, depth) });
  };
  return async (request, response) => writeAnswer(response, await answerOf(request, response));
}

function parse(bytes: Buffer, depth: number): JsonBody {
  const reading = readJson(bytes, { depth, numbers: "all" });
  if (reading.ok) return reading;
  const message = `The body is not acceptable JSON at offset ${reading.offset}.`;
  const code = memberCodeOfJson(reading.code);
  throw refuse("INVALID_REQUEST", { message, errors: [{ pointer: "", code, message }] });
}

/** A decoded parameter of the route's path; `undefined` if the matched path has none. */
export function pathParameter(request: Request, name: string): string | undefined {
  const value = request.params[name];
  return typeof value === "string" ? value : undefined;
}
