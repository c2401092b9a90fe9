import type { BodyLimits, BodyResult } from "../read-body.ts";
import { growingBytes } from "./growing-bytes.ts";

/** What the reader needs of a `ReadableStreamDefaultReader`. */
interface WebReader {
  read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
  cancel(): Promise<unknown>;
}

/** What the reader needs of a request's `ReadableStream`. */
export interface WebStream {
  readonly locked: boolean;
  getReader(): WebReader;
}

/**
 * Reads a Web stream to its end. A body that passes a limit is cancelled: the sender's remaining
 * bytes are the runtime's to discard.
 */
export async function readWebStream(
  stream: WebStream,
  { bodyBytes, bodyMs }: BodyLimits,
): Promise<BodyResult> {
  const reader = stream.getReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<BodyResult>((resolve) => {
    timer = setTimeout(() => resolve({ error: "CS_BODY_TIMEOUT" }), bodyMs);
  });
  try {
    const result = await Promise.race([readAll(reader, bodyBytes), deadline]);
    // Not awaited, since a sender can hold it up; what it rejects with changes nothing.
    if ("error" in result) reader.cancel().catch(() => undefined);
    return result;
  } finally {
    clearTimeout(timer);
  }
}

async function readAll(reader: WebReader, limit: number): Promise<BodyResult> {
  const bytes = growingBytes(limit);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return bytes.all();
      // Text was decoded by somebody before: its bytes are gone.
      if (!ArrayBuffer.isView(value)) return { error: "CS_BODY_CONSUMED" };
      if (!bytes.push(value)) return { error: "CS_BODY_TOO_LARGE" };
    }
  } catch {
    return { error: "CS_BODY_ABORTED" };
  }
}
