import type { Server as HttpServer } from "node:http";
import type { Server as HttpsServer } from "node:https";
import { Server } from "node:net";
import { type AnswersAttempts, requireReceiver } from "./answer.ts";
import { answerNode, type NodeRequest, type NodeResponse } from "./node-http.ts";

export type { NodeRequest, NodeResponse } from "./node-http.ts";

const FIX =
  "something has read the body before the receiver: call toNode(receiver)(request, response) before " +
  "any parser (in a Next.js pages route: export const config = { api: { bodyParser: false } })";

/**
 * A request listener for `node:http` and frameworks built on it: `createServer(toNode(receiver))`. The
 * caller routes by path: every request that the listener gets is an attempt.
 *
 * It reads the raw body itself, or uses bytes kept as `request.rawBody` or `request.body`; a body that was
 * read before is answered 500 `CS_BODY_CONSUMED` with the line to change. Registered for "checkContinue"
 * too, it refuses a body by its headers before it is sent. The promise never rejects.
 *
 * @throws {TypeError} `receiver` is not a receiver.
 */
export function toNode(
  receiver: AnswersAttempts,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  requireReceiver("toNode", receiver);
  return (request: NodeRequest & KeptBody, response) => {
    const { url, rawBody, body } = request;
    return answerNode(receiver, { request, response, url, kept: [rawBody, body], fix: FIX });
  };
}

/** The places where a cloud platform or a parser keeps a body's bytes. */
interface KeptBody {
  readonly rawBody?: unknown;
  readonly body?: unknown;
}

/** A server of `node:http` or `node:https`. */
export type StoppableServer = HttpServer | HttpsServer;

/**
 * Stops a server and then its receiver, for SIGTERM: takes no further connection, answers requests in
 * progress with `Connection: close`, ends idle connections after a second and a half, stops the workers and waits for handlers.
 * Connections that are left after `graceMs` are cut; claims of their events end with their lease.
 *
 * @returns True if everything had settled in time.
 */
export async function stopServer(
  server: StoppableServer,
  receiver: { close(options: { readonly graceMs: number }): Promise<boolean> },
  { graceMs = 10_000 }: { readonly graceMs?: number } = {},
): Promise<boolean> {
  const startedAt = performance.now();
  let inTime = true;
  await new Promise<void>((resolve) => {
    const cut = setTimeout(() => {
      inTime = false;
      server.closeAllConnections();
    }, graceMs);
    // A sender may be writing to an idle connection at this moment: it would see a reset.
    const sweep = setInterval(() => server.closeIdleConnections(), IDLE_MS);
    // A busy connection would stay open; this makes the sender use another one (RFC 9112 section 9.6).
    server.prependListener("request", (_request, response) => {
      if (!response.headersSent) response.setHeader("connection", "close");
    });
    // The server's own method closes idle connections at once.
    Server.prototype.close.call(server, () => {
      clearTimeout(cut);
      clearInterval(sweep);
      resolve();
    });
  });
  const left = Math.max(1, graceMs - (performance.now() - startedAt));
  return (await receiver.close({ graceMs: left })) && inTime;
}

/** The time for which idle connections live on, in milliseconds. */
const IDLE_MS = 1500;
