import type { HeadersObject } from "@countersign/signatures";
import { createAnswer } from "./answer.ts";
import type { AnswersAttempts } from "./answers-attempts.ts";
import { pathOf } from "./path.ts";
import { readWebStream, type WebStream } from "./read-web-stream.ts";

/** What the adapter needs of a Web `Request`. */
export interface FetchRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: HeadersObject;
  readonly bodyUsed: boolean;
  readonly body: WebStream | null;
}

const FIX =
  "something has read the body before the receiver: give toFetch(receiver) the Request before " +
  "request.json(), c.req.json() or a validator reads it, or let those read request.clone()";

/**
 * A function from `Request` to `Response`, for Hono, Next.js route handlers, Bun, Deno and Workers:
 * `export default { fetch: toFetch(receiver) }`. The path is the caller's.
 *
 * It reads the stream itself, within the limits. Other methods than POST are answered 405 with
 * `Allow`. A body that was read or locked before is answered 500 `CS_BODY_CONSUMED`, and a process
 * warning names the fix, once. The promise never rejects.
 */
export function toFetch(receiver: AnswersAttempts): (request: FetchRequest) => Promise<Response> {
  const answer = createAnswer(receiver, FIX);
  return async (request) => {
    const { status, headers, body } = await answer(request.method, {
      headers: request.headers,
      path: pathOf(request.url),
      body: async (limits) => {
        // First, since a body that was read cannot be looked at everywhere.
        if (request.bodyUsed || request.body?.locked === true) return { error: "CS_BODY_CONSUMED" };
        return request.body === null ? new Uint8Array(0) : readWebStream(request.body, limits);
      },
    });
    return new Response(body === "" ? null : body, { status, headers });
  };
}
