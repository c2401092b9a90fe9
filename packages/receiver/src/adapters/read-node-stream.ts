import type { BodyLimits, BodyResult } from "../read-body.ts";
import { growingBytes } from "./growing-bytes.ts";
import type { Turn } from "./turn.ts";

/** What the reader needs of a Node.js readable stream; `IncomingMessage` has it. */
export interface ByteStream {
  on(event: "data", listener: (chunk: Uint8Array) => void): unknown;
  on(event: "end" | "close" | "error", listener: () => void): unknown;
  off(event: "data", listener: (chunk: Uint8Array) => void): unknown;
  off(event: "end" | "close" | "error", listener: () => void): unknown;
  pause(): unknown;
}

/**
 * Reads a stream to its end. Stops listening, without destroying the stream, as soon as a limit is
 * passed: the answer still has to leave by the same connection. What was read is told in `turn`.
 */
export function readNodeStream(
  stream: ByteStream,
  { bodyBytes, bodyMs }: BodyLimits,
  turn: Turn,
): Promise<BodyResult> {
  return new Promise((resolve) => {
    const bytes = growingBytes(bodyBytes);
    const finish = (result: BodyResult): void => {
      clearTimeout(timer);
      stream.off("data", onData);
      stream.off("end", onEnd);
      stream.off("close", onAbort);
      turn(() => resolve(result));
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
