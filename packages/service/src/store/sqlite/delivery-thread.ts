import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Completion, CompletedGroup, DeliveryStore } from "../../delivery/types.ts";
import { StoreUnavailableError, type DeliveryCalls } from "../driver.ts";
import type { StoreFault } from "../fault.ts";

/** The database file, and the options of its driver. */
export interface ThreadData {
  readonly file: string;
  readonly busyMs: number;
}

/** A call of the thread: the method's name and its arguments. */
export type ThreadCall = { readonly id: number } & {
  readonly [K in keyof DeliveryCalls]: {
    readonly name: K;
    readonly args: Readonly<Parameters<DeliveryCalls[K]>>;
  };
}[keyof DeliveryCalls];

/** The result of a completion, without the attempt, which the caller has. */
export type Completed = Pick<Completion, "state" | "nextAt"> & { readonly id: string };

export type ThreadReply = { readonly id: number } & (
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      readonly message: string;
      readonly outcome: StoreUnavailableError["outcome"];
      readonly fault: StoreFault;
    }
);

const ENTRY = new URL(`./delivery-thread-entry${extname(import.meta.url)}`, import.meta.url);

/** Reads and completes deliveries on a thread with its own connections. If the thread ends, every call rejects. */
export class DeliveryThread implements DeliveryCalls {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #calls = 0;
  /** The reason, if the thread has ended by itself. */
  failure: StoreUnavailableError | undefined;

  constructor(data: ThreadData) {
    this.#worker = new Worker(ENTRY, { workerData: data });
    this.#worker.unref();
    this.#worker.on("message", (reply: ThreadReply) => this.#settle(reply));
    this.#worker.on("error", (cause) => this.#fail(cause));
    this.#worker.on("exit", () => this.#fail());
  }

  async read(...args: Parameters<DeliveryStore["read"]>): ReturnType<DeliveryStore["read"]> {
    // The cast: the thread returns what `read` does.
    return (await this.#call({ name: "read", args })) as Awaited<ReturnType<DeliveryStore["read"]>>;
  }

  async complete(
    completions: readonly Completion[],
    policy: Parameters<DeliveryStore["complete"]>[1],
  ): Promise<CompletedGroup> {
    // The payloads are most of a group's bytes, and no completion needs them.
    const group = completions.map((one): Completion => {
      const delivery = { ...one.attempt.delivery, payload: "" };
      return { ...one, attempt: { ...one.attempt, delivery } };
    });
    const call = this.#call({ name: "complete", args: [group, { pause: policy.pause }] });
    // The cast: the thread returns these instead of the completions.
    const { completed, paused } = (await call) as {
      readonly completed: readonly Completed[];
      readonly paused: readonly string[];
    };
    const byId = new Map(completed.map(({ id, ...next }) => [id, next]));
    const changed = completions.flatMap((one) => {
      const next = byId.get(one.attempt.delivery.id);
      return next === undefined ? [] : [{ ...one, ...next }];
    });
    return { completed: changed, paused };
  }

  /** Waits for the calls under way, then closes the thread's connections. */
  async close(): Promise<void> {
    if (this.failure !== undefined) return;
    const ended = new Promise((resolve) => this.#worker.once("exit", resolve));
    this.#post("close");
    await ended;
  }

  #call(call: Omit<ThreadCall, "id">): Promise<unknown> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    this.#calls += 1;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(this.#calls, waiting);
    this.#post({ ...call, id: this.#calls });
    return waiting.promise;
  }

  #post(message: unknown): void {
    // Only a call under way keeps the process running.
    this.#worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- only a window's has an origin.
    this.#worker.postMessage(message);
  }

  #settle(reply: ThreadReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if (reply.ok) waiting?.resolve(reply.value);
    else waiting?.reject(new StoreUnavailableError(reply.message, reply));
  }

  #fail(cause?: unknown): void {
    const reason = cause instanceof Error ? `: ${cause.message}` : "";
    const message = `the thread of deliveries has ended${reason}: restart the service`;
    // Without the cause, since the log would have only its words.
    this.failure ??= new StoreUnavailableError(message, { outcome: "unknown" });
    for (const { reject } of this.#waiting.values()) reject(this.failure);
    this.#waiting.clear();
  }
}
