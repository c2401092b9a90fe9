/** An HTTP/1 answer, parsed defensively. */
export interface Answer {
  readonly status: number;
  /** Names in lower case, in their order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The bytes as received: nothing is decompressed. */
  readonly body: Uint8Array;
  /** True if the connection may carry another request. */
  readonly isReusable: boolean;
}

/** The bytes are not an HTTP response. */
export class GarbledAnswerError extends Error {}

const MAX_BODY_BYTES = 65_536;
const MAX_HEAD_BYTES = 32_768;
const MAX_INTERIM = 16;

interface ReadOptions {
  /** Method of the request: answers to HEAD have no body. */
  readonly method: string;
  /** True if no more bytes arrive. */
  readonly isEnded: boolean;
  /** Largest part of a body that is read. Default 64 KiB. */
  readonly maxBodyBytes?: number | undefined;
}

/**
 * Reads the first answer of the bytes that have arrived over a connection.
 *
 * @returns The answer and its bytes, once it is complete or its body reaches the limit; `undefined` until then.
 * @throws {GarbledAnswerError} The bytes are not an answer, or end before it does.
 */
export function readAnswer(
  bytes: Buffer,
  options: ReadOptions,
): { readonly answer: Answer; readonly raw: Uint8Array } | undefined {
  const input = new Input(bytes);
  try {
    const answer = answerFrom(input, options);
    return { answer, raw: bytes.subarray(0, input.at) };
  } catch (error) {
    if (error !== INCOMPLETE) throw error;
    if (options.isEnded) throw new GarbledAnswerError("truncated response");
    return undefined;
  }
}

/** Thrown if more bytes are needed: one object, since a stack for each chunk takes longer than to read it. */
const INCOMPLETE = new Error("more bytes are needed");

class Input {
  readonly bytes: Buffer;
  at = 0;
  /** Bytes that lines may still have. */
  budget = MAX_HEAD_BYTES;
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  line(): string {
    const end = this.bytes.indexOf(0x0a, this.at);
    const length = (end === -1 ? this.bytes.length : end + 1) - this.at;
    if (length > this.budget) throw new GarbledAnswerError("its lines have no end");
    if (end === -1) throw INCOMPLETE;
    this.budget -= length;
    return this.take(length)
      .toString("latin1")
      .replace(/\r?\n$/, "");
  }

  take(count: number): Buffer {
    if (this.bytes.length - this.at < count) throw INCOMPLETE;
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }
}

function answerFrom(input: Input, options: ReadOptions): Answer {
  for (let interim = 0; interim <= MAX_INTERIM; interim += 1) {
    const { status, version, headers } = headFrom(input);
    if (status < 200 && status !== 101) continue;
    const { body, isReusable } = bodyFrom(input, { status, headers }, options);
    const connection = valueOf(headers, "connection") ?? "";
    const isKept =
      version === "1.1" ? !/\bclose\b/i.test(connection) : /\bkeep-alive\b/i.test(connection);
    return { status, headers, body, isReusable: isKept && isReusable };
  }
  throw new GarbledAnswerError("a flood of 1xx answers");
}

type Head = Pick<Answer, "status" | "headers">;

function headFrom(input: Input): Head & { readonly version: string } {
  const [, version = "", status] = /^HTTP\/(1\.[01]) ([1-9]\d\d)(?: .*)?$/.exec(input.line()) ?? [];
  if (status === undefined) throw new GarbledAnswerError("it does not begin like an answer");
  const headers: (readonly [string, string])[] = [];
  for (let line = input.line(); line !== ""; line = input.line()) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon));
    if (name === "" || /\s/.test(name)) throw new GarbledAnswerError("invalid header");
    headers.push([name.toLowerCase(), line.slice(colon + 1).trim()]);
  }
  return { status: Number(status), version, headers };
}

function bodyFrom(
  input: Input,
  { status, headers }: Head,
  { method, isEnded, maxBodyBytes: cap = MAX_BODY_BYTES }: ReadOptions,
): Pick<Answer, "body" | "isReusable"> {
  if (method === "HEAD" || status === 204 || status === 304 || status < 200)
    return { body: Buffer.alloc(0), isReusable: true };
  if (/\bchunked\b/i.test(valueOf(headers, "transfer-encoding") ?? ""))
    return chunksFrom(input, cap);
  const length = valueOf(headers, "content-length");
  if (length !== undefined && !/^\d{1,15}$/.test(length))
    throw new GarbledAnswerError("its Content-Length is not a number");
  const left = input.bytes.length - input.at;
  // Without a length, the end of the connection is the end of the body.
  const wanted = length === undefined ? (isEnded ? left : Infinity) : Number(length);
  const body = input.take(Math.min(wanted, cap));
  return { body, isReusable: length !== undefined && body.length === wanted };
}

function chunksFrom(input: Input, cap: number): Pick<Answer, "body" | "isReusable"> {
  const parts: Buffer[] = [];
  let size = 0;
  input.budget = MAX_HEAD_BYTES;
  for (;;) {
    const [, digits] = /^([0-9a-f]{1,8})(?:[ \t]*;.*)?$/i.exec(input.line()) ?? [];
    if (digits === undefined) throw new GarbledAnswerError("a chunk has no size");
    const length = Number.parseInt(digits, 16);
    if (length === 0) {
      while (input.line() !== "");
      return { body: Buffer.concat(parts), isReusable: true };
    }
    parts.push(input.take(Math.min(length, cap - size)));
    size += length;
    if (size >= cap) return { body: Buffer.concat(parts), isReusable: false };
    if (input.line() !== "") throw new GarbledAnswerError("a chunk is longer than it says");
  }
}

function valueOf(headers: Answer["headers"], name: string): string | undefined {
  return headers.find((header) => header[0] === name)?.[1];
}
