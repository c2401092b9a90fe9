import { readJson } from "@countersign/rules";
import type { Request, Response } from "express";
import { memberCodeOfJson } from "../error-codes.ts";
import { acceptsJson } from "./accepts-json.ts";
import { writeAnswer, type Answer } from "./answer.ts";
import { checkBody } from "./answer-check.ts";
import { authenticate, requireScope } from "./authenticate.ts";
import { factsOf, type CallFacts } from "./facts.ts";
import type { HttpContext } from "./http-context.ts";
import { mediaTypeOf } from "./media-type.ts";
import { readBody } from "./read-body.ts";
import { refuse } from "./refuse.ts";
import type { Call, JsonBody, Route } from "./route.ts";

/**
 * An Express handler of a route. The checks come in an order in which a stranger learns nothing: path
 * and method have been matched, then authentication, scope, rate, media types, size, JSON; the route goes on
 * with fields, key, payment and business.
 */
export function serve(
  context: HttpContext,
  route: Route,
): (request: Request, response: Response) => Promise<void> {
  return async (request, response) => {
    const answer = await answerOf(context, route, { request, facts: factsOf(response) });
    if (context.checksAnswers && route.writes !== undefined) {
      checkBody(context.policy, route.writes, answer.body);
    }
    writeAnswer(response, answer);
  };
}

async function answerOf(
  context: HttpContext,
  route: Route,
  { request, facts }: { request: Request; facts: CallFacts },
): Promise<Answer> {
  const { policy } = context;
  const caller = await authenticate(context, request);
  facts.merchantId = caller.merchant.id;
  if (route.scope !== undefined) requireScope(caller, policy.token.scopes[route.scope]);
  context.rates?.takeCall(route.rate ?? "others", caller);
  requireAcceptedJson(context, request);
  requireContentType(context, route, request);
  const call: Call = { context, merchant: caller.merchant, request, requestId: facts.requestId };
  if (route.method === "GET") return route.answer(call);

  const bytes = await readBody(request, policy.limits.bodyBytes);
  return route.answer({ ...call, body: parse(bytes, policy.limits.depth) });
}

function requireAcceptedJson({ policy }: HttpContext, request: Request): void {
  const field = request.headers.accept;
  if (field === undefined && policy.http.isAcceptRequired) throw refuse("NOT_ACCEPTABLE");
  if (!acceptsJson(field)) throw refuse("NOT_ACCEPTABLE");
}

function requireContentType({ policy }: HttpContext, { method }: Route, request: Request): void {
  if (method === "GET" && !policy.http.isContentTypeOnGetRequired) return;
  if (mediaTypeOf(request.headers["content-type"]) === "application/json") return;
  // RFC 9110, section 15.5.16: what would have been taken.
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
