/**
 * Bytes that arrive in chunks, copied into one buffer that grows. A list of the chunks would let a sender of single
 * bytes take a hundred times its bytes of memory.
 */
export class CollectedBytes {
  #bytes = new Uint8Array(0);
  #size = 0;

  /** Number of bytes that have been added. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of memory that the buffer takes once `more` bytes are added. */
  capacityWith(more: number): number {
    const size = this.#size + more;
    const { length } = this.#bytes;
    return size > length ? Math.max(size, 2 * length) : length;
  }

  add(chunk: Uint8Array): void {
    const capacity = this.capacityWith(chunk.length);
    if (capacity > this.#bytes.length) {
      const grown = new Uint8Array(capacity);
      grown.set(this.all());
      this.#bytes = grown;
    }
    this.#bytes.set(chunk, this.#size);
    this.#size += chunk.length;
  }

  /** Returns all bytes, without a copy. */
  all(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#size);
  }
}

/** Reads all bytes of a stream; `undefined` if they are more than `limit`, and the stream is then left. */
export async function collectBytes(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const bytes = new CollectedBytes();
  for await (const chunk of chunks) {
    if (bytes.size + chunk.length > limit) return undefined;
    bytes.add(chunk);
  }
  return bytes.all();
}
