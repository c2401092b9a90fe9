import {
  type Attempt,
  type BodyErrorCode,
  type BodyResult,
  bytesOf,
  type IncomingBody,
} from "../pipeline/body.ts";
import type { ReceiverResponse } from "../pipeline/outcome.ts";
import type { AnswersAttempts } from "./answer.ts";

/** The part of Node's `IncomingMessage` that an adapter needs. */
export interface NodeRequest extends ByteStream {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly rawHeaders: readonly string[];
  readonly headers: {
    readonly expect?: string | undefined;
    readonly "content-length"?: string | undefined;
  };
  readonly httpVersionMajor: number;
  readonly socket: object;
  readonly complete: boolean;
  readonly destroyed: boolean;
  readonly readableDidRead: boolean;
  readonly readableEnded: boolean;
  readonly readableEncoding: string | null;
}

/** The part of Node's `ServerResponse` that an adapter needs. */
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

/** The part of a Node.js readable stream that the reader needs; `IncomingMessage` has it. */
export interface ByteStream {
  on(event: "data", listener: (chunk: Uint8Array) => void): unknown;
  on(event: "end" | "close" | "error", listener: () => void): unknown;
  off(event: "end" | "close" | "error", listener: () => void): unknown;
  pause(): unknown;
  resume(): unknown;
}

interface NodeExchange {
  readonly request: NodeRequest;
  readonly response: NodeResponse;
  readonly url: string | undefined;
  /** Places where a framework may keep the bytes; other values are ignored. */
  readonly kept: readonly unknown[];
  /** The line to change if a parser has read the body. */
  readonly fix: string;
}

/** Answers a request, whose body is the bytes that a framework kept, else the unread stream. Never rejects. */
export async function answerNode(
  receiver: AnswersAttempts,
  { request, response, url, kept, fix }: NodeExchange,
): Promise<void> {
  const bytes = kept.find((value) => ArrayBuffer.isView(value));
  const read: Attempt["body"] = (body) => {
    if (isConsumed(request)) return { error: "CS_BODY_CONSUMED", fix };
    // "close" was emitted before: a reader that starts now would wait for ever.
    if (request.destroyed) return { error: "CS_BODY_ABORTED" };
    askForBody(request, response);
    return readNodeStream(request, body);
  };
  const answer = await receiver.answer({
    method: request.method,
    url,
    headers: headersOf(request.rawHeaders),
    body: bytes === undefined ? read : bytesOf(bytes),
  });
  sendNode(request, response, answer.response);
}

/** True after any parser, or if the body was decoded to text. `request.body` proves nothing: Express 4 sets `{}` without parsing. */
const isConsumed = (request: NodeRequest): boolean =>
  request.readableDidRead ||
  request.readableEnded ||
  // Undefined in a simulated request, as `fastify.inject` makes it.
  (request.readableEncoding ?? null) !== null;

/**
 * Node asks for a body that waits for it (RFC 9110 section 10.1.1) before the headers are judged,
 * unless the server has a listener for "checkContinue"; then the reader asks.
 */
function askForBody(request: NodeRequest, response: NodeResponse): void {
  const { socket } = request;
  if (!("server" in socket)) return;
  // Node sets it on every socket that a server accepted.
  const server = socket.server as { listenerCount?(event: string): number } | null;
  if ((server?.listenerCount?.("checkContinue") ?? 0) === 0) return;
  if (request.headers.expect?.toLowerCase() === "100-continue") response.writeContinue();
}

/** The prototype of all records of headers: without one, V8 would make each a hash table, which is slow to list. */
const NO_MEMBERS: object = Object.create(null) as object;

/**
 * Headers as they arrived. Node's own `headers` joins most duplicates with a comma and drops others;
 * here a header that was sent twice is a list, which the signature's scheme refuses.
 */
function headersOf(rawHeaders: readonly string[]): Record<string, string | string[]> {
  // It inherits nothing, so that a header named "__proto__" is a header.
  const headers = Object.create(NO_MEMBERS) as Record<string, string | string[]>;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    const value = rawHeaders[index + 1] ?? "";
    const before = headers[name];
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  return headers;
}

/**
 * Reads a stream to its end. Stops reading, without destroying the stream, as soon as a limit is
 * passed: the answer still has to leave by the same connection.
 */
export function readNodeStream(stream: ByteStream, body: IncomingBody): Promise<BodyResult> {
  return new Promise((resolve) => {
    let isOver = false;
    const finish = (result: BodyResult): void => {
      isOver = true;
      resolve(result);
    };
    const refuse = (error: BodyErrorCode): void => {
      stream.pause();
      finish({ error });
    };
    // Resolving a promise again is not free.
    const onAbort = (): void => {
      if (!isOver) finish({ error: "CS_BODY_ABORTED" });
    };
    body.onRefused = refuse;
    // The listeners remain and do nothing after the end: a later error must not become an uncaught exception.
    stream.on("data", (chunk) => {
      if (isOver) return;
      const error = body.push(chunk);
      if (error !== undefined) refuse(error);
    });
    stream.on("end", () => isOver || finish(body.all()));
    stream.on("close", onAbort);
    stream.on("error", onAbort);
  });
}

/** The rest of a refused body that is read, so that its connection can carry the next request. */
const DRAINED_BYTES = 65_536;

/** Time to discard the rest of a larger body before closing its connection, in milliseconds. */
const LINGER_MS = 500;

const isShort = ({ headers }: NodeRequest): boolean =>
  Number(headers["content-length"] ?? Number.NaN) <= DRAINED_BYTES;

/** Sends the answer, and drains or cuts off a body that was left unread. Never throws. */
function sendNode(
  request: NodeRequest,
  response: NodeResponse,
  { status, headers, body }: ReceiverResponse,
): void {
  // The sender went away, or another time limit has answered: a second answer would throw.
  if (response.destroyed || response.headersSent) return;
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  // Undefined in a simulated request; HTTP/2 ends a stream by itself.
  const isRead = (request.complete as boolean | undefined) !== false;
  if (isRead || request.httpVersionMajor > 1 || isShort(request)) {
    response.end(body);
    if (!isRead) request.resume();
    return;
  }

  // The rest of the body cannot be distinguished from a next request, so this one is the last. If the connection
  // were closed at once, with bytes unread, it would be reset and the answer lost.
  response.setHeader("connection", "close");
  if (body === "") response.flushHeaders();
  else {
    response.setHeader("content-length", String(new TextEncoder().encode(body).length));
    response.write(body);
  }
  const end = (): void => {
    clearTimeout(timer);
    request.off("end", end);
    request.off("close", end);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  request.on("end", end);
  request.on("close", end);
  request.resume();
}
