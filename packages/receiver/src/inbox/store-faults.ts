import { MistakeError } from "../mistake.ts";
import { warnProcess } from "../runtime.ts";

/** Calls that the store may leave unanswered; further ones are rejected at once, so that memory stays bounded. */
const MAX_LATE = 1000;

/** Bounds the calls to a store: a connection may hang without an end. */
export class TimeLimit {
  readonly ms: number;
  readonly #store: string;
  #late = 0;

  /**
   * @param ms Default: well below a sender's timeout.
   * @throws {TypeError} it is not a positive number.
   */
  constructor(store: string, ms = 5000) {
    if (!(ms > 0 && ms < 2 ** 31))
      throw new MistakeError(`${store}: invalid "timeoutMs": expected milliseconds above 0`);
    this.#store = store;
    this.ms = ms;
  }

  /**
   * Settles as the call does, or rejects once its time has passed.
   *
   * @param whenLate Called with the result of a call that nobody waits for any more.
   */
  run<Result>(call: () => Promise<Result>, whenLate?: (result: Result) => void): Promise<Result> {
    if (this.#late >= MAX_LATE) return Promise.reject(this.error());
    return new Promise((resolve, reject) => {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        this.#late += 1;
        reject(this.error());
      }, this.ms);
      const settled = (): void => {
        clearTimeout(timer);
        if (isLate) this.#late -= 1;
      };
      call()
        .finally(settled)
        .then((result) => (isLate ? whenLate?.(result) : resolve(result)), reject);
    });
  }

  error(): Error {
    return new Error(`${this.#store} did not answer within ${String(this.ms)} ms`);
  }
}

/** An `EventEmitter`, such as a pool, a connection or a client. */
export interface ErrorEmitter {
  on?(event: "error", listener: (error: Error) => void): unknown;
}

const listened = new WeakSet<ErrorEmitter>();

/**
 * Listens to the errors of lost connections, which would end the process otherwise. Calls that are under
 * way reject by themselves.
 *
 * @param store Its name for a warning, at most once a minute. Without it the loss is reported elsewhere.
 * @returns False if this was done before: any number of inboxes may share a pool.
 */
export function surviveLoss(emitter: ErrorEmitter, store?: string): boolean {
  if (typeof emitter.on !== "function" || listened.has(emitter)) return false;
  listened.add(emitter);
  let quietUntil = -Infinity;
  emitter.on("error", ({ message }) => {
    if (store === undefined || performance.now() < quietUntil) return;
    quietUntil = performance.now() + 60_000;
    const text = `${store} lost a connection, and will connect again: ${message}`;
    warnProcess("CS_CONNECTION_LOST", text);
  });
  return true;
}
