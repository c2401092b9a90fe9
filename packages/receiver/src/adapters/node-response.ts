import type { ReceiverResponse } from "../respond.ts";
import type { NodeRequest, NodeResponse } from "./node-request.ts";

/** How long a refused body is discarded before its connection is closed, in milliseconds. */
const LINGER_MS = 500;

/** Sends the answer, and settles what becomes of a body that was left unread. Never throws. */
export function sendNode(
  request: NodeRequest,
  response: NodeResponse,
  { status, headers, body }: ReceiverResponse,
): void {
  // The sender went away, or a time limit before us has answered: one more answer would throw.
  if (response.destroyed || response.headersSent) return;
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  // Undefined in a request that is only played; HTTP/2 ends a stream by itself.
  if ((request.complete as boolean | undefined) !== false || request.httpVersionMajor > 1) {
    response.end(body);
    return;
  }

  // What is left of the body cannot be told from a next request, so this one is the last. Closed at
  // once, with bytes unread, the connection is reset and the answer lost on its way.
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
