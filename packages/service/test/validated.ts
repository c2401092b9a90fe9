import {
  validateCustomer,
  validateEventList,
  validateProblem,
  validateRefund,
  validateSubscribeResponse,
  validateTokenError,
  validateTokenResponse,
  validateUnsubscribeResponse,
} from "@countersign/schemas/writers";
import { expect } from "vitest";
import { errorCodes, memberCodes } from "../src/error-codes.ts";
import type { TestAnswer } from "./open-service.ts";

const validators = {
  customer: validateCustomer,
  events: validateEventList,
  problem: validateProblem,
  refund: validateRefund,
  subscribed: validateSubscribeResponse,
  tokenError: validateTokenError,
  token: validateTokenResponse,
  unsubscribed: validateUnsubscribeResponse,
};

/** The body, once its writer's schema has nothing against it. */
export function validated<K extends keyof typeof validators>(
  kind: K,
  { body }: TestAnswer,
): Extract<ReturnType<(typeof validators)[K]>, { ok: true }>["value"] {
  const validation = validators[kind](body);
  if (!validation.ok) expect(validation.errors).toEqual([]);
  // `expect` has thrown otherwise.
  return body as Extract<ReturnType<(typeof validators)[K]>, { ok: true }>["value"];
}

/** The parts that distinguish refusals. */
export function refusal(answer: TestAnswer): { status: number; code: string; members?: object } {
  const problem = validated("problem", answer);
  expect(answer.headers).toMatchObject({
    "content-type": "application/problem+json",
    "x-content-type-options": "nosniff",
  });
  for (const name of ["x-powered-by", "etag"]) expect(answer.headers).not.toHaveProperty(name);
  expect(problem.status).toBe(answer.status);
  expect(problem.requestId).toBe(answer.headers["x-request-id"]);
  expect(errorCodes).toHaveProperty(problem.errorDetails.errorCode);
  for (const { code } of problem.errors ?? []) {
    expect({ ...errorCodes, ...memberCodes }).toHaveProperty(code);
  }
  const members = problem.errors?.map(({ pointer, code }) => [pointer, code]);
  return {
    status: answer.status,
    code: problem.errorDetails.errorCode,
    ...(members && { members: Object.fromEntries(members) as object }),
  };
}
