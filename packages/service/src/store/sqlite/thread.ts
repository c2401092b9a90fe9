import { Worker } from "node:worker_threads";
import { StoreUnavailableError } from "../driver.ts";

/**
 * A thread with a connection of its own, seen from the thread that asks it. It starts with the first call, and
 * again with the next one after it has ended by itself. It keeps the process alive only while a call waits.
 */
export class SqliteThread {
  readonly #module: URL;
  readonly #start: ThreadStart;
  readonly #calls = new Map<number, PromiseWithResolvers<unknown>>();
  #count = 0;
  #worker: Worker | undefined;
  #closed = false;

  /** @param module What the thread runs: it calls `answerAsThread`. */
  constructor(module: URL, start: ThreadStart) {
    this.#module = module;
    this.#start = start;
  }

  /**
   * Has the thread carry out an operation in a transaction.
   *
   * @param input A plain value: the thread gets a copy.
   * @throws {StoreUnavailableError} As the operation's transaction; or the thread has ended, with `outcome`
   *   `"unknown"`.
   */
  async call(name: string, input: unknown): Promise<unknown> {
    if (this.#closed) throw new StoreUnavailableError("the database is closed");
    const worker = (this.#worker ??= this.#begin());
    const call: ThreadCall = { id: (this.#count += 1), name, input };
    const answer = Promise.withResolvers<unknown>();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A thread is no window.
    worker.postMessage(call);
    this.#calls.set(call.id, answer);
    worker.ref();
    try {
      return await answer.promise;
    } finally {
      this.#calls.delete(call.id);
      if (this.#calls.size === 0) worker.unref();
    }
  }

  /** Waits for the calls under way, then ends the thread. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#calls.values()].map(({ promise }) => promise));
    await this.#worker?.terminate();
  }

  #begin(): Worker {
    const worker = new Worker(this.#module, { workerData: this.#start, name: "countersign-store" });
    worker.on("message", (answer: ThreadAnswer) => {
      const call = this.#calls.get(answer.id);
      if (answer.ok) call?.resolve(answer.value);
      else call?.reject(errorOfCopy(answer.error));
    });
    let cause: unknown;
    worker.on("error", (error: unknown) => {
      cause = error;
    });
    worker.on("exit", () => {
      this.#worker = undefined;
      const error = new StoreUnavailableError("the thread of the database has ended", {
        outcome: "unknown",
        cause,
      });
      for (const { reject } of this.#calls.values()) reject(error);
    });
    return worker;
  }
}

/** What a thread is given at its start. */
export interface ThreadStart {
  /** Path of the database file, which exists. */
  readonly file: string;
  readonly busyMs: number;
}

export interface ThreadCall {
  readonly id: number;
  /** Of the operation. */
  readonly name: string;
  readonly input: unknown;
}

export type ThreadAnswer = { readonly id: number } & (
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: CopiedError }
);

/** An error as it crosses threads; copied as it is, it would lose its class. */
export interface CopiedError {
  readonly message: string;
  readonly stack: string | undefined;
  /** Of a `StoreUnavailableError`. */
  readonly outcome: StoreUnavailableError["outcome"] | undefined;
  readonly cause: CopiedError | undefined;
}

export function copyOfError(error: unknown): CopiedError {
  if (!(error instanceof Error)) {
    return { message: String(error), stack: undefined, outcome: undefined, cause: undefined };
  }
  return {
    message: error.message,
    stack: error.stack,
    outcome: error instanceof StoreUnavailableError ? error.outcome : undefined,
    cause: error.cause === undefined ? undefined : copyOfError(error.cause),
  };
}

export function errorOfCopy({ message, stack, outcome, cause }: CopiedError): Error {
  const options = cause === undefined ? {} : { cause: errorOfCopy(cause) };
  const error =
    outcome === undefined
      ? new Error(message, options)
      : new StoreUnavailableError(message, { outcome, ...options });
  if (stack !== undefined) error.stack = stack;
  return error;
}
