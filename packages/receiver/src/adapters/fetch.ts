import type { HeadersObject } from "@countersign/signatures";
import type { BodyError, BodyResult, IncomingBody } from "../pipeline/body.ts";
import { type AnswersAttempts, requireReceiver } from "./answer.ts";

/** The part of a Web `Request` that the adapter needs. */
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
 * `export default { fetch: toFetch(receiver) }`. The caller routes by path.
 *
 * It reads the stream itself, within the limits. A body that was read or locked before is answered 500
 * `CS_BODY_CONSUMED` with the line to change. The promise never rejects.
 *
 * @throws {TypeError} `receiver` is not a receiver.
 */
export function toFetch(receiver: AnswersAttempts): (request: FetchRequest) => Promise<Response> {
  requireReceiver("toFetch", receiver);
  return async (request) => {
    const { response } = await receiver.answer({
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: async (incoming) => {
        const stream = streamOf(request);
        if (stream === null) return new Uint8Array(0);
        return "error" in stream ? stream : readWebStream(stream, incoming);
      },
    });
    const { status, headers, body } = response;
    return new Response(body === "" ? null : body, { status, headers });
  };
}

const CONSUMED: BodyError = { error: "CS_BODY_CONSUMED", fix: FIX };

function streamOf(request: FetchRequest): WebStream | null | BodyError {
  try {
    // First, since a body that was read cannot be looked at everywhere.
    if (request.bodyUsed) return CONSUMED;
    const { body } = request;
    return body?.locked === true ? CONSUMED : body;
  } catch {
    // Some runtimes build the request when its body is first asked for, and refuse what was sent then.
    return { error: "CS_REQUEST_UNREADABLE" };
  }
}

/** The part of a `ReadableStreamDefaultReader` that the reader needs. */
interface WebReader {
  read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
  cancel(): Promise<unknown>;
}

/** The part of a request's `ReadableStream` that the reader needs. */
export interface WebStream {
  readonly locked: boolean;
  getReader(): WebReader;
}

/**
 * Reads a Web stream to its end. A body that passes a limit is cancelled: the runtime discards the
 * sender's remaining bytes.
 */
export async function readWebStream(stream: WebStream, body: IncomingBody): Promise<BodyResult> {
  const reader = stream.getReader();
  const refused = new Promise<BodyResult>((resolve) => {
    body.onRefused = (error) => resolve({ error });
  });
  const result = await Promise.race([readAll(reader, body), refused]);
  // Not awaited, since a sender could delay it; its rejection changes nothing.
  if ("error" in result) reader.cancel().catch(() => undefined);
  return result;
}

async function readAll(reader: WebReader, body: IncomingBody): Promise<BodyResult> {
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return body.all();
      // Text was decoded by something else: its bytes are lost.
      if (!ArrayBuffer.isView(value)) return CONSUMED;
      const error = body.push(value);
      if (error !== undefined) return { error };
    }
  } catch {
    return { error: "CS_BODY_ABORTED" };
  }
}
