import type { Envelope } from "./envelope.ts";
import { type HandlerContext, idempotencyKeyOf } from "./handler.ts";
import type { Route } from "./router.ts";

export type HandlerRun =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly code: "CS_HANDLER_FAILED" | "CS_HANDLER_TIMEOUT";
      readonly error: unknown;
    };

/** Runs a handler until it settles or `handlerMs` have passed. Never rejects. */
export async function runHandler(
  { handler, fallback }: Route,
  envelope: Envelope,
  {
    handlerMs,
    context: given,
  }: {
    readonly handlerMs: number;
    /** What a transactional inbox adds to the handler's context. */
    readonly context: { readonly transaction?: unknown };
  },
): Promise<HandlerRun> {
  const { key } = envelope.identity;
  let abort: AbortController | undefined;
  const context: HandlerContext = {
    ...given,
    tenant: key.tenant,
    idempotencyKey: idempotencyKeyOf(key),
    // Made when asked for: most handlers never look at it.
    get signal() {
      abort ??= new AbortController();
      return abort.signal;
    },
  };
  try {
    // The router's registration checked that this handler takes this type's events, and the inbox's type its context.
    const run = handler((fallback ? envelope.event : envelope.body) as never, context as never);
    if (isThenable(run)) {
      const timely = await within(handlerMs, run);
      if (!timely) {
        const error = new Error(`the handler did not settle within ${String(handlerMs)} ms`);
        abort ??= new AbortController();
        abort.abort(error);
        return { ok: false, code: "CS_HANDLER_TIMEOUT", error };
      }
    }
    return { ok: true };
  } catch (error) {
    return { ok: false, code: "CS_HANDLER_FAILED", error };
  }
}

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
        reject(
          error instanceof Error ? error : new Error("the handler rejected", { cause: error }),
        );
      },
    );
  });
}
