import { attemptErrorCode, type AttemptErrorCode } from "@countersign/service";
import { collectBytes } from "@countersign/rules";
import { Agent } from "undici";

/** Header fields in their order. */
export type Fields = readonly (readonly [name: string, value: string])[];

/** Pairs names and values that are given in turn. */
export const fieldsOf = (raw: readonly string[]): Fields =>
  raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ""] as const] : []));

/** Largest answer, in bytes. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

interface PostedRequest {
  /** Default `POST`. */
  readonly method?: string;
  readonly headers: Fields;
  readonly body: Uint8Array;
  /** Path and query. Default: the URL's. */
  readonly path?: string;
}

export interface Answer {
  /** `null` without an answer. */
  readonly status: number | null;
  readonly error: AttemptErrorCode | null;
  readonly headers: Fields;
  readonly body: Buffer;
  readonly durationMs: number;
}

export interface Poster {
  /** Never rejects. Redirects are answers, and answers are not decompressed. */
  post(url: URL, request: PostedRequest): Promise<Answer>;
  close(): Promise<void>;
}

/** Posts over connections that are kept. Proxies of the environment are not used. @param deadlineMs For one answer. */
export function poster(deadlineMs: number): Poster {
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  return {
    async post(url, { method = "POST", headers, body: sent, path = url.pathname + url.search }) {
      const startedAt = performance.now();
      const ended = (result: Partial<Answer>): Answer => {
        const none = { status: null, error: null, headers: [], body: Buffer.alloc(0) };
        return { ...none, ...result, durationMs: Math.round(performance.now() - startedAt) };
      };
      try {
        const answer = await agent.request({
          origin: url.origin,
          path,
          method,
          headers: headers.flat(),
          body: method === "GET" || method === "HEAD" ? null : sent,
          signal: AbortSignal.timeout(deadlineMs),
          responseHeaders: "raw",
        });
        // A stream without an encoding yields buffers.
        const chunks = answer.body as AsyncIterable<Uint8Array>;
        const received = await collectBytes(chunks, MAX_ANSWER_BYTES);
        if (received === undefined) return ended({ error: "CS_ATTEMPT_ANSWER_MALFORMED" });
        // Raw headers are names and values in turn.
        const raw = (answer.headers as unknown as readonly Buffer[]).map((part) =>
          part.toString("latin1"),
        );
        const body = Buffer.from(received);
        return ended({ status: answer.statusCode, headers: fieldsOf(raw), body });
      } catch (error) {
        const isLate = error instanceof Error && error.name === "TimeoutError";
        return ended({ error: isLate ? "CS_ATTEMPT_TIMEOUT" : attemptErrorCode(error) });
      }
    },
    close: () => agent.destroy(),
  };
}

/** Header fields by name, in lower case; one that arrived more than once is a list, which a scheme refuses. */
export function headersOf(fields: Fields): Readonly<Record<string, string | readonly string[]>> {
  const lists = Map.groupBy(fields, ([name]) => name.toLowerCase());
  return Object.fromEntries(
    [...lists].map(([name, list]) => {
      const values = list.map(([, value]) => value);
      return [name, values.length === 1 ? (values[0] ?? "") : values];
    }),
  );
}
