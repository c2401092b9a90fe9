import { createAnswer } from "./answer.ts";
import type { AnswersAttempts } from "./answers-attempts.ts";
import { nodeAttempt, type NodeRequest, type NodeResponse } from "./node-request.ts";
import { sendNode } from "./node-response.ts";
import { createTurn } from "./turn.ts";

export type { NodeRequest, NodeResponse } from "./node-request.ts";

const FIX =
  "something has read the body before the receiver: call toNode(receiver)(request, response) before " +
  "any parser (in a Next.js pages route: export const config = { api: { bodyParser: false } })";

/**
 * A request listener for `node:http` and what builds on it: `createServer(toNode(receiver))`. The
 * path is the caller's: every request that it is given is an attempt.
 *
 * It reads the raw body itself; bytes that were kept as `request.rawBody` or `request.body` are used.
 * Other methods than POST are answered 405 with `Allow`. A body that was read before is answered 500
 * `CS_BODY_CONSUMED`, and a process warning names the fix, once. As a listener for "checkContinue" too, it refuses by its
 * headers a body that has not been sent yet. The promise never rejects.
 */
export function toNode(
  receiver: AnswersAttempts,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  const answer = createAnswer(receiver, FIX);
  const turn = createTurn();
  return async (request: NodeRequest & KeptBody, response) => {
    const attempt = nodeAttempt(request, response, { kept: [request.rawBody, request.body], turn });
    sendNode(request, response, await answer(request.method, attempt));
  };
}

/** Where a cloud platform or a parser keeps a body's bytes. */
interface KeptBody {
  readonly rawBody?: unknown;
  readonly body?: unknown;
}
