import { nodeAttempt } from "./node-request.ts";
import type { ReceiverResponse } from "../respond.ts";
import { BODY_CONSUMED_FIX } from "../respond.ts";
import type { NodeRequest } from "./node-request.ts";
import type { AnswersAttempts } from "./answers-attempts.ts";

/** What the adapter needs of Express's response, 4 or 5. */
export interface ExpressResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

/** What the adapter needs of Express's request, 4 or 5. */
export interface ExpressRequest extends NodeRequest {
  readonly originalUrl: string;
}

/**
 * A route handler for Express 4 and 5: `app.post('/webhooks', toExpress(receiver))`.
 *
 * It reads the raw body itself, so it stands before any parser. Bytes that a parser kept
 * (`express.raw()`, or a `rawBody` of a `verify` hook) are used; a body that was parsed is answered
 * 500 `CS_BODY_CONSUMED` and a process warning names the line to change, once.
 */
export function toExpress(
  receiver: AnswersAttempts,
): (request: ExpressRequest, response: ExpressResponse) => Promise<void> {
  let warned = false;
  return async (request, response) => {
    const [path] = request.originalUrl.split("?");
    const { outcome, response: answer } = await receiver.answer(nodeAttempt(request, path ?? "/"));
    if (!warned && outcome.kind === "rejected" && outcome.code === "CS_BODY_CONSUMED") {
      warned = true;
      process.emitWarning(BODY_CONSUMED_FIX, { code: outcome.code });
    }
    send(request, response, answer);
  };
}

function send(
  request: ExpressRequest,
  response: ExpressResponse,
  { status, headers, body }: ReceiverResponse,
): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  // A body that was left unread cannot be skipped to the connection's next request.
  if (!request.readableEnded) response.setHeader("connection", "close");
  response.end(body);
}
