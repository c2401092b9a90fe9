import type { RejectionCode } from "./outcome.ts";

/** Why a body could not be had. */
export type BodyErrorCode = Extract<
  RejectionCode,
  "CS_BODY_CONSUMED" | "CS_BODY_TOO_LARGE" | "CS_BODY_TIMEOUT" | "CS_BODY_ABORTED"
>;

export interface BodyLimits {
  /** The largest body, in bytes. */
  readonly bodyBytes: number;
  /** The longest time from the first look to the last byte, in milliseconds. */
  readonly bodyMs: number;
}

/** Reads a body within the limits, when the receiver has decided that it wants it. */
export type BodyReader = (
  limits: BodyLimits,
) => Promise<Uint8Array | { readonly error: BodyErrorCode }>;

/** What the reader needs of a Node.js readable stream; `IncomingMessage` has it. */
export interface ByteStream {
  on(event: "data", listener: (chunk: Uint8Array) => void): unknown;
  on(event: "end" | "close" | "error", listener: () => void): unknown;
  off(event: "data", listener: (chunk: Uint8Array) => void): unknown;
  off(event: "end" | "close" | "error", listener: () => void): unknown;
  pause(): unknown;
}

/**
 * Reads a stream to its end, counting the bytes that arrive and not those that a header announces.
 * Stops listening, without destroying the stream, as soon as a limit is passed.
 */
export function readStream(
  stream: ByteStream,
  { bodyBytes, bodyMs }: BodyLimits,
): Promise<Uint8Array | { readonly error: BodyErrorCode }> {
  return new Promise((resolve) => {
    const bytes = growingBytes(bodyBytes);
    const finish = (result: Uint8Array | { readonly error: BodyErrorCode }): void => {
      clearTimeout(timer);
      stream.off("data", onData);
      stream.off("end", onEnd);
      stream.off("close", onAbort);
      resolve(result);
    };
    const onData = (chunk: Uint8Array): void => {
      if (bytes.push(chunk)) return;
      stream.pause();
      finish({ error: "CS_BODY_TOO_LARGE" });
    };
    const onEnd = (): void => finish(bytes.all());
    const onAbort = (): void => finish({ error: "CS_BODY_ABORTED" });
    const timer = setTimeout(() => {
      stream.pause();
      finish({ error: "CS_BODY_TIMEOUT" });
    }, bodyMs);
    stream.on("data", onData);
    stream.on("end", onEnd);
    stream.on("close", onAbort);
    // Stays on: an error after the verdict must not become an uncaught exception.
    stream.on("error", onAbort);
  });
}

/**
 * Bytes in one buffer that doubles: a list of chunks would let a sender of single bytes cost a
 * hundred times its body in memory. A body of one chunk is not copied.
 */
function growingBytes(limit: number): {
  push(chunk: Uint8Array): boolean;
  all(): Uint8Array;
} {
  let buffer: Uint8Array = new Uint8Array(0);
  let size = 0;
  return {
    push(chunk) {
      const next = size + chunk.length;
      if (next > limit) return false;
      if (size === 0) buffer = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length);
      else {
        if (next > buffer.length || size === buffer.length) {
          const grown = new Uint8Array(Math.min(limit, Math.max(next, 2 * size)));
          grown.set(buffer.subarray(0, size));
          buffer = grown;
        }
        buffer.set(chunk, size);
      }
      size = next;
      return true;
    },
    all: () => buffer.subarray(0, size),
  };
}
