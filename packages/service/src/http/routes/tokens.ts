import type { Request, Response } from "express";
import { authenticateClient, grantToken } from "../../use-cases/tokens.ts";
import { type Answer, checkBody, writeAnswer } from "../answer.ts";
import { readTokenRequest, tokenErrors, TokenRefused } from "../auth/token-request.ts";
import { acceptsJson } from "../body.ts";
import { sourceOf } from "../limits.ts";
import { factsOf } from "../log.ts";
import { refuse } from "../problem.ts";
import type { HttpContext } from "../route.ts";

/** `POST /v1/tokens`: OAuth 2 client credentials (S 5.1, rule 2; RFC 6749, sections 4.4 and 5). */
export function serveTokens(context: HttpContext) {
  return async (request: Request, response: Response): Promise<void> => {
    try {
      const answer = await answerOf(context, request);
      if (context.checksAnswers) checkBody(context.policy, "token", answer.body);
      writeAnswer(response, answer);
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error;
      factsOf(response).errorCode = error.error;
      const answer = refusalOf(error);
      if (context.checksAnswers) checkBody(context.policy, "tokenError", answer.body);
      writeAnswer(response, answer);
    }
  };
}

async function answerOf(context: HttpContext, request: Request): Promise<Answer> {
  const { policy, rates } = context;
  if (!acceptsJson(request.headers.accept)) throw refuse("NOT_ACCEPTABLE");
  const { scopes, ...credentials } = await readTokenRequest(request, policy.limits);
  const sent = { source: sourceOf(request), clientId: credentials.clientId };
  const find = () => authenticateClient(context, credentials);
  const client = await (rates === undefined ? find() : rates.authenticate(sent, find));
  if (client === undefined) throw new TokenRefused("invalid_client");
  const outcome = await grantToken(context, { client, scopes });
  if (!outcome.ok) throw new TokenRefused(outcome.error);
  rates?.issued(outcome.token);
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
  // RFC 6749, section 5.2: the challenge is a MUST after Basic, and names the scheme to use otherwise.
  const challenge = 'Basic realm="countersign", charset="UTF-8"';
  return { status, headers: { pragma, "www-authenticate": challenge }, body };
}
