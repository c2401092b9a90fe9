import { Agent, type Dispatcher, errors } from "undici";
import { systemCode } from "../failure.ts";
import type { Signed } from "./broken.ts";

/** Bytes of an answer that are read. */
const MAX_ANSWER_BYTES = 64 * 1024;
const EXCERPT_CHARACTERS = 1024;

export type Answer =
  | { readonly status: number; readonly durationMs: number; readonly body: string }
  | { readonly error: string; readonly durationMs: number };

export interface Poster {
  post(url: URL, attempt: Signed): Promise<Answer>;
  close(): Promise<void>;
}

/** Posts attempts over connections that are kept. Redirects are answers; proxies of the environment are not used. */
export function poster({
  deadlineMs,
  userAgent,
}: {
  /** For all of one POST, in milliseconds. */
  readonly deadlineMs: number;
  readonly userAgent: string;
}): Poster {
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  return {
    async post(url, { headers, body }) {
      const startedAt = performance.now();
      const durationMs = (): number => Math.round(performance.now() - startedAt);
      try {
        const answer = await agent.request({
          origin: url.origin,
          path: url.pathname + url.search,
          method: "POST",
          headers: { "content-type": "application/json", "user-agent": userAgent, ...headers },
          body,
          signal: AbortSignal.timeout(deadlineMs),
        });
        const text = await excerptOf(answer.body);
        return { status: answer.statusCode, durationMs: durationMs(), body: text };
      } catch (error) {
        return { error: errorOf(error), durationMs: durationMs() };
      }
    },
    close: () => agent.destroy(),
  };
}

async function excerptOf(body: Dispatcher.ResponseData["body"]): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  // A stream that nobody has given an encoding yields buffers; undici types its chunks as `any`.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) break;
  }
  return Buffer.concat(chunks).toString("utf8").slice(0, EXCERPT_CHARACTERS);
}

/** A code, never the message alone: it may hold what the other side has sent. */
function errorOf(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return "TIMEOUT";
  if (error instanceof errors.UndiciError) return error.code;
  return systemCode(error) ?? "FAILED";
}
