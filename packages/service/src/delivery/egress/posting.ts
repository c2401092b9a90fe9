import type { IncomingHttpHeaders } from "node:http";
import { CollectedBytes } from "@countersign/rules";
import type { Dispatcher } from "undici";
import { attemptErrorCode, type AttemptErrorCode } from "./attempt-error.ts";
import type { Answer } from "../types.ts";

/** Bytes of an answer that are read; then its connection is closed. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** Bytes of an answer that are kept. */
const EXCERPT_BYTES = 1024;
/** Pieces of a body, such as chunks: one byte each would cost as much as a megabyte. */
const MAX_PIECES = 1024;
/** Headers of an answer. */
const MAX_HEADERS = 256;
/** Interim answers that are passed over; a flood of them would keep this process busy until the deadline. */
const MAX_INTERIM = 100;

/**
 * Listens to one POST, and settles once: with the whole answer, with what was read of one beyond 64 KiB, or
 * with the reason for a missing answer. One timer bounds all of it, also the wait for a connection.
 */
export class Posting implements Dispatcher.DispatchHandler {
  readonly #settle: (answer: Answer) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #kept = new CollectedBytes();
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #received = 0;
  #pieces = 0;
  #interim = 0;
  #isWhole = false;
  #isSettled = false;

  constructor(deadlineMs: number, settle: (answer: Answer) => void) {
    this.#settle = settle;
    this.#timer = setTimeout(() => this.#end("CS_ATTEMPT_TIMEOUT"), deadlineMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It waited for a connection until its deadline.
    if (this.#isSettled) controller.abort(new Error("the attempt is over"));
  }

  onResponseStart(
    { rawHeaders }: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // Names and values take turns.
    if (Array.isArray(rawHeaders) && rawHeaders.length > 2 * MAX_HEADERS)
      return this.#end("CS_ATTEMPT_ANSWER_MALFORMED");
    if (status < 200) {
      this.#interim += 1;
      if (this.#interim > MAX_INTERIM) this.#end("CS_ATTEMPT_ANSWER_MALFORMED");
      return;
    }
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#kept.add(chunk.subarray(0, EXCERPT_BYTES - this.#kept.size));
    this.#received += chunk.length;
    this.#pieces += 1;
    if (this.#received > MAX_ANSWER_BYTES || this.#pieces > MAX_PIECES) this.#end("answered");
  }

  onResponseEnd(): void {
    this.#isWhole = true;
    this.#end("answered");
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  /** The request could not be made. */
  fail(error: unknown): void {
    this.#end(attemptErrorCode(error));
  }

  #end(how: "answered" | AttemptErrorCode): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#settle(how === "answered" ? this.#answer() : { kind: "unanswered", code: how });
    if (!this.#isWhole) this.#controller?.abort(new Error("the attempt is over"));
  }

  #answer(): Answer {
    return {
      kind: "answered",
      status: this.#status,
      // Repeated fields are a list.
      retryAfter: [this.#headers["retry-after"]].flat()[0],
      ...(!this.#isWhole && { isCut: true }),
      // PostgreSQL keeps no NUL in a text.
      excerpt: Buffer.from(this.#kept.all()).toString("utf8").replaceAll("\0", "\uFFFD"),
      headers: this.#headers,
    };
  }
}
