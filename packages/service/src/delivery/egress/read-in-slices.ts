import { setImmediate } from "node:timers";
import type { Duplex } from "node:stream";

/** Lines that the heads of one answer may have, those of interim answers included. */
const MAX_HEAD_LINES = 256;
/** Bytes of one answer on the wire: 64 KiB of body, 8 of its head and 8 that chunks add, of 40 bytes or more. */
const MAX_WIRE_BYTES = 80 * 1024;
const NEWLINE = 0x0a;
/** Index of a status line's digit that marks an interim answer: `HTTP/1.1 103`. */
const DIGIT_AT = 9;
const INTERIM = 0x31;

/** An answer that is not HTTP: only its size counts. */
export class AnswerBoundsError extends Error {
  readonly code = "CS_ATTEMPT_ANSWER_MALFORMED";
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/**
 * Counts what one answer takes on the wire, before it is parsed: the parser's own limit counts the bytes of names
 * and values alone, of which a head of two thousand headers has few, and none of the empty lines, extensions of
 * chunks and interim answers that can go on for ever.
 */
export class AnswerBounds {
  #bytes = 0;
  #lines = 0;
  #isHead = true;
  /** Bytes of the line that has begun. */
  #lineBytes = 0;
  /** The status's first digit, as a byte; 0 before it. */
  #digit = 0;

  /** Begins another answer: all that is read from here on belongs to it. */
  begin(): void {
    if (this.#bytes === 0) return;
    this.#bytes = 0;
    this.#lines = 0;
    this.#lineBytes = 0;
    this.#isHead = true;
    this.#digit = 0;
  }

  /** @returns The reason to read no more of this answer. */
  read(bytes: Buffer): AnswerBoundsError | undefined {
    this.#bytes += bytes.length;
    if (this.#bytes > MAX_WIRE_BYTES) {
      return new AnswerBoundsError(`the answer is larger than ${String(MAX_WIRE_BYTES)} bytes`);
    }
    if (this.#isHead) this.#readHead(bytes);
    return this.#lines > MAX_HEAD_LINES
      ? new AnswerBoundsError(`the answer's head has more than ${String(MAX_HEAD_LINES)} lines`)
      : undefined;
  }

  #readHead(bytes: Buffer): void {
    let from = 0;
    while (this.#isHead && this.#lines <= MAX_HEAD_LINES && from < bytes.length) {
      const newline = bytes.indexOf(NEWLINE, from);
      const end = newline === -1 ? bytes.length : newline;
      const digitAt = from + DIGIT_AT - this.#lineBytes;
      if (this.#digit === 0 && digitAt >= from && digitAt < end) this.#digit = bytes[digitAt] ?? 0;
      this.#lineBytes += end - from;
      if (newline === -1) return;
      // A carriage return at most; another line of one byte is not a header, and the parser reports it.
      if (this.#lineBytes <= 1) this.#endHead();
      this.#lines += 1;
      this.#lineBytes = 0;
      from = end + 1;
    }
  }

  #endHead(): void {
    // Empty lines before a status line belong to the head that follows, as interim answers do.
    if (this.#digit === 0 || this.#digit === INTERIM) this.#digit = 0;
    else this.#isHead = false;
  }
}

/** Bytes that are parsed in one turn of the event loop. */
const SLICE_BYTES = 2048;
/** Bytes that are parsed in one turn of the event loop. */
const TURN_BYTES = 4 * 1024;

/**
 * Has a connection's bytes parsed in small slices, some in each turn of the event loop, none after its end and
 * none beyond an answer's bounds. A receiver chooses what its bytes cost: undici makes an object of each header
 * and of each chunk of a body, however small, and an error with a stack of each header beyond its limit; 64 KiB
 * of them arrive at once and would hold this process for tens of milliseconds.
 */
export function readInSlices(socket: Duplex): void {
  const bounds = new AnswerBounds();
  let isResting = false;
  let turnBytes = 0;
  const goOn = (): void => {
    isResting = false;
    turnBytes = 0;
    // undici reads on this event; data that has already arrived emits none.
    if (!socket.destroyed) socket.emit("readable");
  };
  const read = socket.read.bind(socket);
  socket.read = (size?: number): unknown => {
    // Node's own way to ask for more: it takes nothing.
    if (size === 0) return read(0);
    if (socket.destroyed || isResting) return null;
    const length = Math.min(size ?? SLICE_BYTES, SLICE_BYTES, socket.readableLength);
    if (length === 0) {
      turnBytes = 0;
      return read();
    }
    if (turnBytes >= TURN_BYTES) {
      isResting = true;
      setImmediate(goOn);
      return null;
    }
    const slice: unknown = read(length);
    if (!(slice instanceof Buffer)) return slice;
    turnBytes += slice.length;
    const error = bounds.read(slice);
    if (error === undefined) return slice;
    socket.destroy(error);
    return null;
  };
  const write = socket.write.bind(socket) as (...all: readonly unknown[]) => boolean;
  // Its overloads are two, of three parameters together: they are handed on as they are.
  socket.write = ((chunk: unknown, encoding: unknown, written: unknown) => {
    // With one request at a time on a connection, what comes after a write is its answer.
    bounds.begin();
    return write(chunk, encoding, written);
  }) as typeof socket.write;
}
