import type { ErrorRequestHandler } from "express";
import { StoreUnavailableError } from "../store/driver.ts";
import { writeAnswer, type Answer } from "./answer.ts";
import { checkBody, DefectiveAnswerError } from "./answer-check.ts";
import { factsOf } from "./facts.ts";
import type { HttpContext } from "./http-context.ts";
import type { LogFields } from "./logger.ts";
import { IssuerUnavailableError } from "./outside-tokens.ts";
import { problemAnswer } from "./problem.ts";
import { refuse } from "./refuse.ts";
import { Refused, type Refusal } from "./refused.ts";
import { SenderGone } from "./sender-gone.ts";

/**
 * Ends every call that threw. A refusal is answered as it is; an error of this program becomes
 * `INTERNAL_SERVER_ERROR`, and its words go to the log alone.
 */
export function answerRefusals(context: HttpContext): ErrorRequestHandler {
  const { logger, metrics } = context;
  // Express tells error handlers by their four parameters.
  return (error: unknown, _request, response, _next) => {
    const facts = factsOf(response);
    const { refusal } = asRefused(error);
    const isGone = error instanceof SenderGone;
    if (refusal.status >= 500 && !isGone) {
      logger.error({ ...describe(error), requestId: facts.requestId }, "call failed");
    }
    // Nobody is there, or half an answer is out: what Express would do then prints to the console.
    if (isGone || response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    if (error instanceof DefectiveAnswerError) metrics.answerWasDefective();
    facts.errorCode = refusal.code;
    writeAnswer(response, checkedAnswer(context, refusal, facts.requestId));
  };
}

/** The problem of a refusal; where that fits no schema, the one of an error of this program. */
function checkedAnswer(
  { policy, checksAnswers, logger, metrics }: HttpContext,
  refusal: Refusal,
  requestId: string,
): Answer {
  const answer = problemAnswer(policy, refusal, requestId);
  if (!checksAnswers) return answer;
  try {
    checkBody(policy, policy.http.errorBody === "flat" ? "flatError" : "problem", answer.body);
    return answer;
  } catch (error) {
    metrics.answerWasDefective();
    logger.error({ ...describe(error), requestId }, "call failed");
    return problemAnswer(policy, refuse("INTERNAL_SERVER_ERROR").refusal, requestId);
  }
}

function asRefused(error: unknown): Refused {
  if (error instanceof Refused) return error;
  // The path holds a percent sign that encodes nothing: no route is what it asks for.
  if (error instanceof URIError) return refuse("NOT_FOUND");
  if (error instanceof StoreUnavailableError || error instanceof IssuerUnavailableError) {
    return refuse("SERVICE_UNAVAILABLE", { headers: { "retry-after": "1" } });
  }
  return refuse("INTERNAL_SERVER_ERROR");
}

function describe(error: unknown): LogFields {
  if (!(error instanceof Error)) return { errorName: typeof error };
  const defect = error instanceof DefectiveAnswerError ? { defect: error.defect } : {};
  return {
    ...defect,
    errorName: error.name,
    ...(error.stack !== undefined && { stack: error.stack }),
  };
}
