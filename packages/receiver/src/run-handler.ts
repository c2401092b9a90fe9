import type { Awaitable } from "./awaitable.ts";
import type { Envelope } from "./envelope.ts";
import { type HandlerContext, idempotencyKeyOf } from "./handler.ts";
import type { EventKey } from "./inbox/inbox.ts";
import type { Route } from "./router.ts";
import { isError } from "./is-error.ts";

export type HandlerRun =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly code: "CS_HANDLER_FAILED" | "CS_HANDLER_TIMEOUT";
      readonly error: unknown;
    };

const DONE: HandlerRun = { ok: true };

/** Runs a handler until it settles or `handlerMs` have passed. Never rejects, nor throws. */
export function runHandler(
  { handler, fallback }: Route,
  envelope: Envelope,
  {
    handlerMs,
    transaction,
  }: {
    readonly handlerMs: number;
    /** What a transactional inbox adds to the handler's context. */
    readonly transaction?: unknown;
  },
): Awaitable<HandlerRun> {
  const context = new RunContext(envelope.identity.key);
  if (transaction !== undefined) Object.assign(context, { transaction });
  try {
    // The router's registration checked that this handler takes this type's events, and the inbox's type its context.
    const run = handler((fallback ? envelope.event : envelope.body) as never, context as never);
    return isThenable(run) ? settled(run, context, handlerMs) : DONE;
  } catch (error) {
    return handlerFailed(error);
  }
}

/** What a handler gets. Its signal is made when it is asked for: most handlers never look at it. */
class RunContext implements HandlerContext {
  readonly tenant: string;
  readonly idempotencyKey: string;
  #abort: AbortController | undefined;

  constructor(key: EventKey) {
    this.tenant = key.tenant;
    this.idempotencyKey = idempotencyKeyOf(key);
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    return this.#abort.signal;
  }

  abort(error: Error): void {
    this.#abort ??= new AbortController();
    this.#abort.abort(error);
  }
}

async function settled(
  run: PromiseLike<unknown>,
  context: RunContext,
  handlerMs: number,
): Promise<HandlerRun> {
  try {
    if (await within(handlerMs, run)) return DONE;
    const error = new Error(`the handler did not settle within ${String(handlerMs)} ms`);
    context.abort(error);
    return { ok: false, code: "CS_HANDLER_TIMEOUT", error };
  } catch (error) {
    return handlerFailed(error);
  }
}

const handlerFailed = (error: unknown): HandlerRun => ({
  ok: false,
  code: "CS_HANDLER_FAILED",
  error,
});

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" &&
  value !== null &&
  "then" in value &&
  typeof value.then === "function";

/** Whether `run` fulfils in time; rejects as it rejects. A rejection that comes too late is swallowed. */
function within(ms: number, run: PromiseLike<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), ms);
    run.then(
      () => {
        clearTimeout(timer);
        resolve(true);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(isError(error) ? error : new Error("the handler rejected", { cause: error }));
      },
    );
  });
}
