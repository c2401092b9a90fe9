import { MistakeError } from "../mistake.ts";
import { warnProcess } from "../pipeline/failure-log.ts";

/** The time limit of an inbox's own calls by default, in milliseconds: well below a sender's timeout. */
const TIMEOUT_MS = 5000;
/** Calls that the store may leave unanswered; further ones are rejected at once, so that memory stays bounded. */
const MAX_LATE = 1000;

/** Bounds the calls to a store: a connection may hang without an end. */
export class TimeLimit {
  readonly ms: number;
  readonly #store: string;
  #late = 0;

  /** @throws {TypeError} the limit is not a positive number. */
  constructor(store: string, ms: number = TIMEOUT_MS) {
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
      const end = (): void => {
        clearTimeout(timer);
        if (isLate) this.#late -= 1;
      };
      call().then(
        (result) => {
          end();
          if (isLate) whenLate?.(result);
          else resolve(result);
        },
        (error: unknown) => {
          end();
          // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the store's own error, as it is
          reject(error);
        },
      );
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

const MINUTE_MS = 60_000;
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
  let warnedAt = -Infinity;
  emitter.on("error", ({ message }) => {
    if (store === undefined || performance.now() - warnedAt < MINUTE_MS) return;
    warnedAt = performance.now();
    warnProcess(
      "CS_CONNECTION_LOST",
      `${store} lost a connection, and will connect again: ${message}`,
    );
  });
  return true;
}
