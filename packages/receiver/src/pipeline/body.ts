import type { HeadersLike } from "@countersign/signatures";
import type { RejectionCode } from "./outcome.ts";

/** One HTTP request, as far as the receiver needs it. */
export interface Attempt {
  readonly headers: HeadersLike;
  /** The bytes as they arrived, or a reader that has not begun: a body that is refused by its headers is never read. */
  readonly body: Uint8Array | BodyReader;
  /** Default POST. A GET is answered only if it is one of the provider's handshakes. */
  readonly method?: string | undefined;
  /** The request's path and query as they were sent, or an absolute URL. */
  readonly url?: string | undefined;
  /** The request's path, from which `secrets` may find the tenant. Default: that of `url`. */
  readonly path?: string | undefined;
  /** When the attempt arrived, in milliseconds since 1970, if it waited in a queue. Default: now. */
  readonly receivedAt?: number | undefined;
}

/**
 * The reason why a body could not be read. `CS_BODY_NOT_JSON`: its transport encoding is invalid, so the bytes are
 * unknown. `CS_REQUEST_UNREADABLE`: the runtime cannot make a request of what was sent.
 */
export type BodyErrorCode = Extract<
  RejectionCode,
  | "CS_BODY_CONSUMED"
  | "CS_BODY_TOO_LARGE"
  | "CS_BODY_TIMEOUT"
  | "CS_BODY_ABORTED"
  | "CS_BODY_NOT_JSON"
  | "CS_REQUEST_UNREADABLE"
  | "CS_RECEIVER_BUSY"
>;

/** The reason why a body could not be read, and the line to change if its app is the reason. */
export interface BodyError {
  readonly error: BodyErrorCode;
  readonly fix?: string;
}

export type BodyResult = Uint8Array | BodyError;

/**
 * Reads a body, once the receiver has accepted its headers. Never throws or rejects. It gives up when `push` returns an
 * error or `onRefused` is called; the receiver measures the time.
 */
export type BodyReader = (body: IncomingBody) => Promise<BodyResult> | BodyResult;

export interface BodyLimits {
  /** The largest body, in bytes. */
  readonly bodyBytes: number;
  /** The longest time from the attempt's arrival to the body's last byte, in milliseconds. */
  readonly bodyMs: number;
}

/** Bounds the memory of all bodies together, as they arrive and while their attempts wait. */
export class BodyMemory {
  readonly #limits: BodyLimits & { readonly bytesInFlight: number };
  #total = 0;

  constructor(limits: BodyLimits & { readonly bytesInFlight: number }) {
    this.#limits = limits;
  }

  open(): IncomingBody {
    return new IncomingBody(this.#limits, this);
  }

  /** Takes so many bytes, or returns false if they are more than are left. */
  take(bytes: number): boolean {
    if (this.#total + bytes > this.#limits.bytesInFlight) return false;
    this.#total += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#total -= bytes;
  }
}

const NO_BYTES: Uint8Array = new Uint8Array(0);

/**
 * A body that is being read: its only chunk, or one buffer that grows. With a list of its chunks, a sender of
 * single bytes would take a hundred times its body in memory.
 */
export class IncomingBody implements BodyLimits {
  readonly bodyBytes: number;
  readonly bodyMs: number;
  /** Set by the reader; called if the body has to be given up, because its time has passed. */
  onRefused: ((error: BodyErrorCode) => void) | undefined;
  readonly #memory: BodyMemory;
  /** The bytes so far, and room for more. */
  #bytes = NO_BYTES;
  #size = 0;
  /** The bytes that are counted. */
  #held = 0;
  #isArriving = true;
  #refused: BodyErrorCode | undefined;

  constructor({ bodyBytes, bodyMs }: BodyLimits, memory: BodyMemory) {
    this.bodyBytes = bodyBytes;
    this.bodyMs = bodyMs;
    this.#memory = memory;
  }

  /** Adds a chunk, or returns the limit that it would pass. Judged by the bytes that arrive, not by an announced length. */
  push(chunk: ArrayBufferView): BodyErrorCode | undefined {
    if (this.#refused !== undefined) return this.#refused;
    const size = this.#size + chunk.byteLength;
    if (size > this.bodyBytes) return "CS_BODY_TOO_LARGE";
    const bytes = bytesOf(chunk);
    if (size > this.#bytes.length) {
      const room = Math.min(this.bodyBytes, Math.max(size, 2 * this.#size));
      if (!this.#hold(room)) return "CS_RECEIVER_BUSY";
      const before = this.#bytes;
      this.#bytes = this.#size === 0 ? bytes : new Uint8Array(room);
      if (this.#size > 0) this.#bytes.set(before);
    }
    if (this.#bytes !== bytes) this.#bytes.set(bytes, this.#size);
    this.#size = size;
    return undefined;
  }

  /** Returns all bytes. */
  all(): Uint8Array {
    return this.#size === this.#bytes.length ? this.#bytes : this.#bytes.subarray(0, this.#size);
  }

  /**
   * Takes over the bytes that were read, or returns the limit that they pass. They are counted until the attempt's end.
   */
  finish(read: Uint8Array): BodyErrorCode | undefined {
    if (this.#refused !== undefined) return this.#refused;
    // A framework kept these bytes, or a reader of somebody else's did not count them.
    if (read.length > this.bodyBytes) return "CS_BODY_TOO_LARGE";
    if (!this.#hold(Math.max(read.length, this.#held))) return "CS_RECEIVER_BUSY";
    this.#isArriving = false;
    return undefined;
  }

  /** Frees the memory for others. */
  release(): void {
    this.#isArriving = false;
    this.#memory.release(this.#held);
    this.#held = 0;
    this.#bytes = NO_BYTES;
  }

  /** Gives up a body that is still being read. */
  refuse(error: BodyErrorCode): void {
    if (!this.#isArriving) return;
    this.#refused = error;
    this.release();
    this.onRefused?.(error);
  }

  #hold(length: number): boolean {
    if (!this.#memory.take(length - this.#held)) return false;
    this.#held = length;
    return true;
  }
}

/** Returns the bytes under a view of any realm: a test runner's `Uint8Array` is not always this one. */
export function bytesOf(view: ArrayBufferView): Uint8Array {
  return view instanceof Uint8Array
    ? view
    : new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}
