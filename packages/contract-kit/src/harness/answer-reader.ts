/** An HTTP/1 answer, parsed defensively. */
export interface Answer {
  readonly status: number;
  /** Names in lower case, in their order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** As received: nothing is decompressed. */
  readonly body: Uint8Array;
  /** Statuses of the 1xx answers before it. */
  readonly interim: readonly number[];
  /** True if the connection may carry another request. */
  readonly isReusable: boolean;
}

/** The bytes are not an HTTP response. */
export class GarbledAnswerError extends Error {}

const MAX_BODY_BYTES = 65_536;
const MAX_HEAD_BYTES = 32_768;
const MAX_INTERIM = 16;

/** Reads one answer after another from the bytes of a connection. */
export interface AnswerReader {
  /** @returns The answer, as soon as it is complete or its body reaches the limit. */
  readonly push: (bytes: Uint8Array) => Answer | undefined;
  /** Called at the end of the connection. */
  readonly end: () => Answer | undefined;
  /** Bytes after the answer: the beginning of the next one. */
  readonly rest: () => Uint8Array;
}

/**
 * @param method Method of the request: answers to HEAD have no body.
 * @param maxBodyBytes Largest part of a body that is read. Default 64 KiB.
 */
export function answerReader(method: string, maxBodyBytes: number = MAX_BODY_BYTES): AnswerReader {
  const input: Input = { rest: Buffer.alloc(0), isEnded: false };
  const reading = read(input, { method, maxBodyBytes });
  // Runs until it first needs bytes.
  let step = reading.next();
  const go = (): Answer | undefined => {
    if (step.done !== true) step = reading.next();
    return step.done === true ? step.value : undefined;
  };
  return {
    push: (bytes) => {
      input.rest = Buffer.concat([input.rest, bytes]);
      return go();
    },
    end: () => {
      input.isEnded = true;
      return go();
    },
    rest: () => input.rest,
  };
}

interface Input {
  rest: Buffer;
  isEnded: boolean;
}

type Reading<T> = Generator<undefined, T, undefined>;

interface Limits {
  readonly method: string;
  readonly maxBodyBytes: number;
}

function* read(input: Input, limits: Limits): Reading<Answer> {
  const interim: number[] = [];
  const budget = { bytes: MAX_HEAD_BYTES };
  for (;;) {
    const { status, version, headers } = yield* readHead(input, budget);
    const isInterim = status >= 100 && status < 200 && status !== 101;
    if (!isInterim) {
      const { body, isWhole, isDelimited } = yield* readBody(input, { status, headers }, limits);
      const isKept =
        version === "1.1"
          ? !/\bclose\b/i.test(valueOf(headers, "connection") ?? "")
          : /\bkeep-alive\b/i.test(valueOf(headers, "connection") ?? "");
      return { status, headers, body, interim, isReusable: isKept && isWhole && isDelimited };
    }
    interim.push(status);
    if (interim.length > MAX_INTERIM) throw new GarbledAnswerError("a flood of 1xx answers");
  }
}

type Headers = Answer["headers"];

function* readHead(
  input: Input,
  budget: { bytes: number },
): Reading<{ readonly status: number; readonly version: string; readonly headers: Headers }> {
  const first = yield* readLine(input, budget);
  const [, version = "", status] = /^HTTP\/(1\.[01]) ([1-9]\d\d)(?: .*)?$/.exec(first) ?? [];
  if (status === undefined) throw new GarbledAnswerError("it does not begin like an answer");
  const headers: (readonly [string, string])[] = [];
  for (;;) {
    const line = yield* readLine(input, budget);
    if (line === "") return { status: Number(status), version, headers };
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon));
    if (name === "" || /\s/.test(name)) throw new GarbledAnswerError("a header is no header");
    headers.push([name.toLowerCase(), line.slice(colon + 1).trim()]);
  }
}

function* readBody(
  input: Input,
  { status, headers }: { readonly status: number; readonly headers: Headers },
  { method, maxBodyBytes }: Limits,
): Reading<{ body: Buffer; isWhole: boolean; isDelimited: boolean }> {
  const none = { body: Buffer.alloc(0), isWhole: true, isDelimited: true };
  if (method === "HEAD" || status === 204 || status === 304 || status < 200) return none;
  if (/\bchunked\b/i.test(valueOf(headers, "transfer-encoding") ?? ""))
    return { ...(yield* readChunks(input, maxBodyBytes)), isDelimited: true };
  const length = valueOf(headers, "content-length");
  if (length !== undefined && !/^\d{1,15}$/.test(length))
    throw new GarbledAnswerError("its Content-Length is not a number");
  const wanted = length === undefined ? Infinity : Number(length);
  const body = yield* take(input, Math.min(wanted, maxBodyBytes), wanted === Infinity);
  const isWhole = wanted === Infinity || body.length === wanted;
  return { body, isWhole, isDelimited: wanted !== Infinity };
}

function* readChunks(input: Input, cap: number): Reading<{ body: Buffer; isWhole: boolean }> {
  const parts: Buffer[] = [];
  let size = 0;
  // Of the lines that frame the chunks.
  const budget = { bytes: MAX_HEAD_BYTES };
  for (;;) {
    const line = yield* readLine(input, budget);
    const [, digits] = /^([0-9a-f]{1,8})(?:[ \t]*;.*)?$/i.exec(line) ?? [];
    if (digits === undefined) throw new GarbledAnswerError("a chunk has no size");
    const length = Number.parseInt(digits, 16);
    if (length === 0) {
      while ((yield* readLine(input, budget)) !== "");
      return { body: Buffer.concat(parts), isWhole: true };
    }
    parts.push(yield* take(input, Math.min(length, cap - size), false));
    size += length;
    if (size >= cap) return { body: Buffer.concat(parts), isWhole: false };
    if ((yield* readLine(input, budget)) !== "")
      throw new GarbledAnswerError("a chunk is longer than it says");
  }
}

/** As many bytes; fewer at the end of the connection where `mayEnd`. */
function* take(input: Input, count: number, mayEnd: boolean): Reading<Buffer> {
  const parts: Buffer[] = [];
  let missing = count;
  for (;;) {
    const part = input.rest.subarray(0, missing);
    input.rest = input.rest.subarray(part.length);
    parts.push(part);
    missing -= part.length;
    if (missing === 0 || (input.isEnded && mayEnd)) return Buffer.concat(parts);
    if (input.isEnded) throw new GarbledAnswerError("it ends before its end");
    yield undefined;
  }
}

function* readLine(input: Input, budget: { bytes: number }): Reading<string> {
  let seen = 0;
  for (;;) {
    const end = input.rest.indexOf(0x0a, seen);
    const length = end === -1 ? input.rest.length : end + 1;
    if (length > budget.bytes) throw new GarbledAnswerError("its lines have no end");
    if (end !== -1) {
      budget.bytes -= length;
      const line = input.rest.toString("latin1", 0, end);
      input.rest = input.rest.subarray(length);
      return line.replace(/\r$/, "");
    }
    if (input.isEnded) throw new GarbledAnswerError("it ends before its end");
    seen = input.rest.length;
    yield undefined;
  }
}

function valueOf(headers: Headers, name: string): string | undefined {
  return headers.find((header) => header[0] === name)?.[1];
}
