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
 * warning names the fix, once. A request that its runtime cannot read is answered 400
 * `CS_REQUEST_UNREADABLE`. The promise never rejects.
 */
export function toFetch(receiver: AnswersAttempts): (request: FetchRequest) => Promise<Response> {
  const answer = createAnswer(receiver, FIX);
  return async (request) => {
    const { status, headers, body } = await answer(request.method, {
      headers: request.headers,
      path: pathOf(request.url),
      body: async (limits) => {
        const stream = streamOf(request);
        if (stream === null) return new Uint8Array(0);
        return "error" in stream ? stream : readWebStream(stream, limits);
      },
    });
    return new Response(body === "" ? null : body, { status, headers });
  };
}

function streamOf(
  request: FetchRequest,
): WebStream | null | { readonly error: "CS_BODY_CONSUMED" | "CS_REQUEST_UNREADABLE" } {
  try {
    // First, since a body that was read cannot be looked at everywhere.
    if (request.bodyUsed) return { error: "CS_BODY_CONSUMED" };
    const { body } = request;
    return body?.locked === true ? { error: "CS_BODY_CONSUMED" } : body;
  } catch {
    // Some runtimes build the request when its body is first asked for, and refuse what was sent then.
    return { error: "CS_REQUEST_UNREADABLE" };
  }
}
