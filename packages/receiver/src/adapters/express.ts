import { BODY_CONSUMED_FIX } from "../respond.ts";
import { createAnswer } from "./answer.ts";
import type { AnswersAttempts } from "./answers-attempts.ts";
import { nodeAttempt, type NodeRequest, type NodeResponse } from "./node-request.ts";
import { sendNode } from "./node-response.ts";
import { createTurn } from "./turn.ts";

/** What the adapter needs of Express's request, 4 or 5. */
export interface ExpressRequest extends NodeRequest {
  readonly originalUrl: string;
  readonly body?: unknown;
  readonly rawBody?: unknown;
}

/** What the adapter needs of Express's response, 4 or 5. */
export type ExpressResponse = NodeResponse;

/**
 * A route handler for Express 4 and 5: `app.post('/webhooks', toExpress(receiver))`.
 *
 * It reads the raw body itself, so it stands before any parser. Bytes that a parser kept
 * (`express.raw()`, or a `rawBody` of a `verify` hook) are used; a body that was parsed is answered
 * 500 `CS_BODY_CONSUMED` and a process warning names the line to change, once. Other methods than
 * POST are answered 405 with `Allow`. The promise never rejects.
 */
export function toExpress(
  receiver: AnswersAttempts,
): (request: ExpressRequest, response: ExpressResponse) => Promise<void> {
  const answer = createAnswer(receiver, BODY_CONSUMED_FIX);
  const turn = createTurn();
  return async (request, response) => {
    const { originalUrl: url, rawBody, body } = request;
    const attempt = nodeAttempt(request, response, { url, kept: [rawBody, body], turn });
    sendNode(request, response, await answer(request.method, attempt));
  };
}
