import type { LookupFunction } from "node:net";
import { Agent, type Dispatcher } from "undici";
import { attemptErrorCode } from "./attempt-error.ts";
import { guardedConnector } from "./guarded-connector.ts";
import type { Answer, PostRequest, Transport } from "./transport.ts";

/** Bytes of an answer that are read; then its connection is closed. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** Bytes of an answer that are kept. */
const EXCERPT_BYTES = 1024;

export interface UndiciTransportOptions {
  /** Milliseconds for all of one POST: resolving, connecting, sending and the whole answer. */
  readonly deadlineMs: number;
  /** Also posts to this machine's loopback addresses. Default false; the sandbox sets it. */
  readonly allowLoopback?: boolean;
  /** Connections kept to one origin. Default 64. */
  readonly connectionsPerOrigin?: number;
  /** The resolver. Default: the operating system's. */
  readonly lookup?: LookupFunction;
}

/**
 * Posts over HTTP/1.1 connections that are kept and used again. Redirects are answers like any other
 * and are not followed; bodies are not decompressed; proxies of the environment are ignored.
 *
 * An answer counts when it is whole by the deadline. One beyond 64 KiB is cut there and counts by its
 * status: the receiver has said it, and what follows is only for the log.
 */
export function undiciTransport(options: UndiciTransportOptions): Transport {
  const { deadlineMs, allowLoopback = false, connectionsPerOrigin = 64, lookup } = options;
  const agent = new Agent({
    connect: guardedConnector({
      allowLoopback,
      timeoutMs: deadlineMs,
      ...(lookup === undefined ? {} : { lookup }),
    }),
    allowH2: false,
    connections: connectionsPerOrigin,
    pipelining: 1,
    // Only the signal bounds all of an attempt: undici's own limits start anew with each byte.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    async post(request) {
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(), deadlineMs);
      try {
        return await post(agent, request, deadline.signal);
      } catch (error) {
        const code = deadline.signal.aborted ? "CS_ATTEMPT_TIMEOUT" : attemptErrorCode(error);
        return { kind: "unanswered", code };
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => agent.destroy(),
  };
}

async function post(agent: Agent, request: PostRequest, signal: AbortSignal): Promise<Answer> {
  const { statusCode, headers, body } = await agent.request({
    origin: request.url.origin,
    path: request.url.pathname + request.url.search,
    method: "POST",
    headers: request.headers,
    body: request.body,
    signal,
  });
  const retryAfter = headers["retry-after"];
  return {
    kind: "answered",
    status: statusCode,
    retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
    excerpt: await readExcerpt(body),
  };
}

/** Reads to the end of the answer or to its cap, whichever is first; leaving the loop closes it. */
async function readExcerpt(body: Dispatcher.ResponseData["body"]): Promise<string> {
  const kept: Buffer[] = [];
  let received = 0;
  // A stream that nobody has given an encoding yields buffers; undici types its chunks as `any`.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (received < EXCERPT_BYTES) kept.push(chunk.subarray(0, EXCERPT_BYTES - received));
    received += chunk.length;
    if (received > MAX_ANSWER_BYTES) break;
  }
  // PostgreSQL keeps no NUL in a text.
  return Buffer.concat(kept).toString("utf8").replaceAll("\0", "\uFFFD");
}
