/** Bytes that arrive in chunks, up to a limit. */
export interface GrowingBytes {
  /** False where the chunk would pass the limit, which is judged on what arrives, not on what a header announces. */
  push(chunk: ArrayBufferView): boolean;
  /** All bytes so far. */
  all(): Uint8Array;
}

/**
 * Bytes in one buffer that doubles: a list of chunks would let a sender of single bytes cost a
 * hundred times its body in memory. A body of one chunk is not copied.
 */
export function growingBytes(limit: number): GrowingBytes {
  let buffer = new Uint8Array(0);
  let size = 0;
  return {
    push(chunk) {
      const next = size + chunk.byteLength;
      if (next > limit) return false;
      const bytes = bytesOf(chunk);
      if (size === 0) buffer = bytes;
      else {
        // The first chunk's buffer is not ours to write to; it is always full, so that it is copied here.
        if (next > buffer.length) {
          const grown = new Uint8Array(Math.min(limit, Math.max(next, 2 * size)));
          grown.set(buffer.subarray(0, size));
          buffer = grown;
        }
        buffer.set(bytes, size);
      }
      size = next;
      return true;
    },
    all: () => buffer.subarray(0, size),
  };
}

/** The bytes under a view, of whichever realm: a test runner's `Uint8Array` is not always this one. */
export function bytesOf(view: ArrayBufferView): Uint8Array<ArrayBuffer> {
  // A request's chunks never lie in shared memory.
  return new Uint8Array(view.buffer as ArrayBuffer, view.byteOffset, view.byteLength);
}
