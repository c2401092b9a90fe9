import type { Attempt } from "@countersign/contract-kit/attempts";
import { Agent, type Dispatcher, errors } from "undici";
import { systemCode } from "./failure.ts";

/** Largest part of an answer that is read, in bytes. */
const MAX_ANSWER_BYTES = 64 * 1024;
const EXCERPT_CHARACTERS = 1024;

export type Answer =
  | { readonly status: number; readonly durationMs: number; readonly body: string }
  | { readonly error: string; readonly durationMs: number };

export interface Poster {
  post(url: URL, attempt: Attempt): Promise<Answer>;
  close(): Promise<void>;
}

/** Posts attempts over connections that are kept. Redirects are answers; proxies of the environment are not used. */
export function poster({
  deadlineMs,
  userAgent,
}: {
  /** Timeout of one POST in milliseconds. */
  readonly deadlineMs: number;
  readonly userAgent: string;
}): Poster {
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  return {
    async post(url, { headers, body, path = url.pathname + url.search }) {
      const startedAt = performance.now();
      const durationMs = (): number => Math.round(performance.now() - startedAt);
      try {
        const answer = await agent.request({
          origin: url.origin,
          path,
          method: "POST",
          headers: { ...Object.fromEntries(headers), "User-Agent": userAgent },
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
  // A stream without an encoding yields buffers; undici types its chunks as `any`.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) break;
  }
  return Buffer.concat(chunks).toString("utf8").slice(0, EXCERPT_CHARACTERS);
}

/** Returns a code, not the message, which may repeat text from the other side. */
function errorOf(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return "TIMEOUT";
  if (error instanceof errors.UndiciError) return error.code;
  return systemCode(error) ?? "FAILED";
}
