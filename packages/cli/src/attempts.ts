import type { Message, Secret, SignatureScheme } from "@countersign/signatures";
import { Agent, type Dispatcher, errors } from "undici";
import { systemCode } from "./failure.ts";

/** Faults that `send --broken` can send, each with its description. */
export const brokenKinds = {
  unsigned: "without its signature's headers",
  "wrong-secret": "signed with another secret",
  "changed-body": "one byte longer than what was signed",
  "changed-id": "under another id than what was signed",
  "truncated-signature": "its signature's last character missing",
  stale: "signed longer ago than the profile tolerates",
  future: "signed further ahead than the profile tolerates",
  "not-json": "signed, and its body is cut in half",
} as const;

export type BrokenKind = keyof typeof brokenKinds;

export interface Signed {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface Breaking {
  readonly scheme: SignatureScheme;
  readonly toleranceSeconds: number;
  readonly message: Message & { readonly timestamp: number };
  readonly secret: Secret;
  /** A random secret in the same format. */
  readonly stranger: Secret;
}

/** A genuine attempt, or one with a single fault; `undefined` if the scheme cannot have that fault. */
export function signed(breaking: Breaking, kind: BrokenKind | undefined): Signed | undefined {
  const { scheme, message, secret, stranger, toleranceSeconds } = breaking;
  const sign = (change: Partial<Message> = {}, by = secret): Signed => {
    const changed = { ...message, ...change };
    return { headers: scheme.sign(changed, [by]).headers, body: changed.body };
  };
  const genuine = sign();
  switch (kind) {
    case undefined:
      return genuine;
    case "unsigned":
      return { headers: {}, body: message.body };
    case "wrong-secret":
      return sign({}, stranger);
    case "changed-body":
      // A space after the value: the same JSON, and other bytes.
      return { headers: genuine.headers, body: Buffer.concat([message.body, Buffer.from(" ")]) };
    case "changed-id":
      return withHeader(genuine, (value) => (value === message.id ? `${value}X` : undefined));
    case "truncated-signature":
      return withHeader(genuine, (value) =>
        value === message.id || value === String(message.timestamp)
          ? undefined
          : value.slice(0, -1),
      );
    case "stale":
      return moved(genuine, sign({ timestamp: message.timestamp - toleranceSeconds - 60 }));
    case "future":
      return moved(genuine, sign({ timestamp: message.timestamp + toleranceSeconds + 60 }));
    case "not-json":
      return sign({ body: message.body.subarray(0, Math.floor(message.body.length / 2)) });
    default:
      return kind satisfies never;
  }
}

/** A scheme without a timestamp makes the same signature at any time. */
function moved(genuine: Signed, other: Signed): Signed | undefined {
  return JSON.stringify(genuine.headers) === JSON.stringify(other.headers) ? undefined : other;
}

/** Changes one header; `undefined` if the attempt has no such header. */
function withHeader(
  { headers, body }: Signed,
  change: (value: string) => string | undefined,
): Signed | undefined {
  for (const [name, value] of Object.entries(headers)) {
    const changed = change(value);
    if (changed !== undefined) return { headers: { ...headers, [name]: changed }, body };
  }
  return undefined;
}

/** Largest part of an answer that is read, in bytes. */
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
  /** Timeout of one POST in milliseconds. */
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
