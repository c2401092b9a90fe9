import type { Attempt } from "../receive.ts";
import { bytesOf } from "./growing-bytes.ts";
import { pathOf } from "./path.ts";
import { type ByteStream, readNodeStream } from "./read-node-stream.ts";
import type { Turn } from "./turn.ts";

/** What an adapter needs of Node's `IncomingMessage`. */
export interface NodeRequest extends ByteStream {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly rawHeaders: readonly string[];
  readonly headers: { readonly expect?: string | undefined };
  readonly httpVersionMajor: number;
  readonly socket: object;
  readonly complete: boolean;
  readonly destroyed: boolean;
  readonly readableDidRead: boolean;
  readonly readableEnded: boolean;
  readonly readableEncoding: string | null;
  resume(): unknown;
}

/** What an adapter needs of Node's `ServerResponse`. */
export interface NodeResponse {
  statusCode: number;
  readonly destroyed: boolean;
  readonly headersSent: boolean;
  setHeader(name: string, value: string): unknown;
  flushHeaders(): void;
  write(body: string): unknown;
  end(body?: string): unknown;
  writeContinue(): unknown;
}

/**
 * The attempt of a Node.js request: the bytes that a framework kept, else the unread stream.
 *
 * @param kept Where a framework may have kept them; what is no bytes is passed over.
 */
export function nodeAttempt(
  request: NodeRequest,
  response: NodeResponse,
  {
    url = request.url,
    kept,
    turn,
  }: {
    readonly url?: string | undefined;
    readonly kept: readonly unknown[];
    readonly turn: Turn;
  },
): Attempt {
  const bytes = kept.find((value) => ArrayBuffer.isView(value));
  const read: Attempt["body"] = (limits) => {
    if (isConsumed(request)) return Promise.resolve({ error: "CS_BODY_CONSUMED" });
    // Its "close" has been emitted: nobody would tell a reader that comes now.
    if (request.destroyed) return Promise.resolve({ error: "CS_BODY_ABORTED" });
    askForBody(request, response);
    return readNodeStream(request, limits, turn);
  };
  return {
    headers: headersOf(request.rawHeaders),
    path: pathOf(url ?? "/"),
    body: bytes === undefined ? read : bytesOf(bytes),
  };
}

/** After any parser, or decoded to text; "body" alone says nothing, since Express 4 sets `{}` without parsing. */
const isConsumed = (request: NodeRequest): boolean =>
  request.readableDidRead ||
  request.readableEnded ||
  // Undefined in a request that is only played, as `fastify.inject` does it.
  (request.readableEncoding ?? null) !== null;

/**
 * Node invites a body that waits for it (RFC 9110 section 10.1.1) before the headers are judged,
 * unless the server has a listener for "checkContinue"; then reading is the invitation.
 */
function askForBody({ headers, socket }: NodeRequest, response: NodeResponse): void {
  if (headers.expect?.toLowerCase() !== "100-continue" || !("server" in socket)) return;
  // Node sets it on every socket that a server accepted.
  const server = socket.server as { listenerCount?(event: string): number } | null;
  if ((server?.listenerCount?.("checkContinue") ?? 0) > 0) response.writeContinue();
}

/**
 * Headers as they came. Node's own `headers` joins most duplicates with a comma and drops others;
 * here a header that stands twice is a list, which the signature's grammar refuses.
 */
function headersOf(rawHeaders: readonly string[]): Record<string, string | string[]> {
  // Without a prototype, so that a header named "__proto__" is a header.
  const headers = Object.create(null) as Record<string, string | string[]>;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    const value = rawHeaders[index + 1] ?? "";
    const before = headers[name];
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  return headers;
}
