import type { Request, Response } from "express";
import type { Context } from "../use-cases/context.ts";
import { issueToken } from "../use-cases/issue-token.ts";
import { acceptsJson } from "./accepts-json.ts";
import { writeAnswer, type Answer } from "./answer.ts";
import { factsOf } from "./facts.ts";
import { refuse } from "./refuse.ts";
import { TokenRefused, tokenErrors } from "./token-refused.ts";
import { readTokenRequest } from "./token-request.ts";

/** `POST /v1/tokens`: OAuth 2 client credentials (S 5.1, rule 2; RFC 6749, sections 4.4 and 5). */
export function serveTokens(context: Context) {
  return async (request: Request, response: Response): Promise<void> => {
    try {
      writeAnswer(response, await answerOf(context, request));
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error;
      factsOf(response).errorCode = error.error;
      writeAnswer(response, refusalOf(error));
    }
  };
}

async function answerOf(context: Context, request: Request): Promise<Answer> {
  if (!acceptsJson(request.headers.accept)) throw refuse("NOT_ACCEPTABLE");
  const outcome = await issueToken(context, await readTokenRequest(request, context.policy.limits));
  if (!outcome.ok) throw new TokenRefused(outcome.error);
  return {
    status: 200,
    headers: { pragma: "no-cache" },
    body: {
      access_token: outcome.token,
      token_type: "Bearer",
      expires_in: outcome.expiresInSeconds,
      scope: outcome.scopes.join(" "),
    },
  };
}

function refusalOf({ error, description }: TokenRefused): Answer {
  const body = { error, ...(description !== undefined && { error_description: description }) };
  const { status } = tokenErrors[error];
  const pragma = "no-cache";
  if (error !== "invalid_client") return { status, headers: { pragma }, body };
  // RFC 6749, section 5.2: the challenge is a MUST after Basic, and tells the others what works.
  const challenge = 'Basic realm="countersign", charset="UTF-8"';
  return { status, headers: { pragma, "www-authenticate": challenge }, body };
}
