import type { HeadersLike } from "@countersign/signatures";
import type { RejectionCode } from "./outcome.ts";

/** One HTTP POST, as far as the receiver needs it. */
export interface Attempt {
  readonly headers: HeadersLike;
  /** The bytes as they arrived, or a reader that has not begun: a body that is refused by its headers is never read. */
  readonly body: Uint8Array | BodyReader;
  /** The request's path, from which `secrets` may find the tenant. */
  readonly path?: string;
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

/** A body's bytes, or the reason why they are missing. */
export type BodyResult = Uint8Array | { readonly error: BodyErrorCode };

/**
 * Reads a body, once the receiver has accepted its headers. Never rejects. It gives up when `push` returns an
 * error or `onRefused` is called; the receiver measures the time.
 */
export type BodyReader = (body: IncomingBody) => Promise<BodyResult>;

export interface BodyLimits {
  /** The largest body, in bytes. */
  readonly bodyBytes: number;
  /** The longest time from the attempt's arrival to the body's last byte, in milliseconds. */
  readonly bodyMs: number;
}

/** A body that has more than this waits for the others when memory is short: a usual event has less. */
const LARGE_BYTES = 32_768;

/**
 * Bounds the memory of all bodies, as they are received and while their attempts wait. From a quarter
 * of the limit on, large bodies are read no further; at the limit, the unfinished body with
 * the most bytes is refused. So senders that hold many large bodies open cannot keep a small event out.
 */
export class BodyMemory {
  readonly #limits: BodyLimits & { readonly bytesInFlight: number };
  // An array, since a set that attempts enter and leave links its old tables, which keep dead attempts alive.
  readonly #unfinished: IncomingBody[] = [];
  readonly #waiting = new Set<() => void>();
  #total = 0;

  constructor(limits: BodyLimits & { readonly bytesInFlight: number }) {
    this.#limits = limits;
  }

  open(): IncomingBody {
    const body = new IncomingBody(this.#limits, this);
    this.#unfinished.push(body);
    return body;
  }

  /** Makes room for `more` bytes of a body; false if it has to be refused itself. */
  reserve(body: IncomingBody, more: number): boolean {
    while (this.#total + more > this.#limits.bytesInFlight) {
      let largest = body;
      for (const other of this.#unfinished) if (other.held > largest.held) largest = other;
      if (largest === body) return false;
      largest.refuse("CS_RECEIVER_BUSY");
    }
    this.#total += more;
    return true;
  }

  /** Gives the body up for others no longer. @returns True if it was unfinished until now. */
  finish(body: IncomingBody): boolean {
    const place = this.#unfinished.indexOf(body);
    if (place === -1) return false;
    this.#unfinished.splice(place, 1);
    return true;
  }

  release(body: IncomingBody): void {
    this.finish(body);
    this.#total -= body.held;
    if (this.#waiting.size === 0 || this.#isShort) return;
    // All of them: each reads one more chunk, and waits again if that was too much.
    for (const readOn of this.#waiting) readOn();
    this.#waiting.clear();
  }

  get #isShort(): boolean {
    return this.#total > this.#limits.bytesInFlight / 4;
  }

  /** Returns a promise that resolves when a large body may be read further, if it has to wait. */
  room(body: IncomingBody): Promise<void> | undefined {
    if (body.held < LARGE_BYTES || !this.#isShort) return undefined;
    return new Promise((resolve) => this.#waiting.add(resolve));
  }
}

/** Chunks of at least this size are kept as they are; smaller ones are copied into pages of this size. */
const PAGE_BYTES = 16_384;

/**
 * A body that is being read, in pages: with a list of its chunks, a sender of single bytes would take a
 * hundred times its body in memory. A body of one chunk is not copied.
 */
export class IncomingBody implements BodyLimits {
  readonly bodyBytes: number;
  readonly bodyMs: number;
  /** Set by the reader; called if the body has to be given up: its time has passed, or others need its memory. */
  onRefused: ((error: BodyErrorCode) => void) | undefined;
  readonly #memory: BodyMemory;
  /** Full parts, in their order. */
  #parts: Uint8Array[] = [];
  /** The last part, if it is a page that has room left. */
  #page = EMPTY;
  #used = 0;
  #size = 0;
  #held = 0;
  #refused: BodyErrorCode | undefined;

  constructor({ bodyBytes, bodyMs }: BodyLimits, memory: BodyMemory) {
    this.bodyBytes = bodyBytes;
    this.bodyMs = bodyMs;
    this.#memory = memory;
  }

  /** The bytes that are counted. */
  get held(): number {
    return this.#held;
  }

  /** Adds a chunk, or returns the limit that it would pass. Judged by the bytes that arrive, not by an announced length. */
  push(chunk: ArrayBufferView): BodyErrorCode | undefined {
    if (this.#refused !== undefined) return this.#refused;
    if (this.#size + chunk.byteLength > this.bodyBytes) return "CS_BODY_TOO_LARGE";
    if (!this.#hold(this.#held + chunk.byteLength)) return "CS_RECEIVER_BUSY";
    const first = this.#parts[0];
    // A small slice may keep a large buffer of the socket's alive: only a body of one chunk is left in it.
    if (first?.length === this.#size && this.#size < PAGE_BYTES) {
      this.#parts = [];
      this.#copy(first);
    }
    const bytes = bytesOf(chunk);
    if (this.#size > 0 && bytes.length < PAGE_BYTES) this.#copy(bytes);
    else {
      this.#endPage();
      this.#parts.push(bytes);
    }
    this.#size += bytes.length;
    return undefined;
  }

  /** A promise to wait for before the next chunk is read, if memory is short. */
  room(): Promise<void> | undefined {
    return this.#memory.room(this);
  }

  #copy(bytes: Uint8Array): void {
    const fits = Math.min(bytes.length, this.#page.length - this.#used);
    this.#page.set(bytes.subarray(0, fits), this.#used);
    this.#used += fits;
    if (fits === bytes.length) return;
    this.#endPage();
    this.#page = new Uint8Array(PAGE_BYTES);
    this.#copy(bytes.subarray(fits));
  }

  #endPage(): void {
    if (this.#used > 0) this.#parts.push(this.#page.subarray(0, this.#used));
    this.#page = EMPTY;
    this.#used = 0;
  }

  /** Returns all bytes. */
  all(): Uint8Array {
    this.#endPage();
    if (this.#parts.length <= 1) return this.#parts[0] ?? EMPTY;
    const all = new Uint8Array(this.#size);
    let offset = 0;
    for (const part of this.#parts) {
      all.set(part, offset);
      offset += part.length;
    }
    this.#parts = [];
    return all;
  }

  /** Takes over the bytes that were read: from now on the body is counted, and no longer given up for others. */
  finish(read: BodyResult): BodyResult {
    this.onRefused = undefined;
    if (this.#refused !== undefined) return { error: this.#refused };
    if ("error" in read) return read;
    if (read.length > this.bodyBytes) return { error: "CS_BODY_TOO_LARGE" };
    // A framework kept these bytes, or a reader of somebody else's did not count them.
    if (read.length > this.#held && !this.#hold(read.length)) return { error: "CS_RECEIVER_BUSY" };
    this.#memory.finish(this);
    return read;
  }

  /** Frees the memory for others; called by the memory or at the attempt's end. */
  release(): void {
    this.#memory.release(this);
    this.#held = 0;
    this.#parts = [];
    this.#page = EMPTY;
  }

  /** Gives up a body that is still being read. */
  refuse(error: BodyErrorCode): void {
    if (!this.#memory.finish(this)) return;
    this.#refused = error;
    this.release();
    this.onRefused?.(error);
  }

  #hold(length: number): boolean {
    if (!this.#memory.reserve(this, length - this.#held)) return false;
    this.#held = length;
    return true;
  }
}

const EMPTY = new Uint8Array(0);

/** Returns the bytes under a view of any realm: a test runner's `Uint8Array` is not always this one. */
export function bytesOf(view: ArrayBufferView): Uint8Array<ArrayBuffer> {
  // A request's chunks are never in shared memory.
  if (view instanceof Uint8Array) return view as Uint8Array<ArrayBuffer>;
  return new Uint8Array(view.buffer as ArrayBuffer, view.byteOffset, view.byteLength);
}
