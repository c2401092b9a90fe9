import type { EventKey, InboxTransaction, TakenEvent } from "../inbox/inbox.ts";
import type { Deadline } from "./admission.ts";
import type { Envelope } from "./envelope.ts";
import { failed, type Outcome } from "./outcome.ts";
import type { ReceiverParts } from "./parts.ts";
import { type HandlerContext, idempotencyKeyOf, type Route } from "./router.ts";

/** An event that this process may handle until its lease ends. */
export interface ClaimedEvent {
  readonly envelope: Envelope;
  /** From the claim. */
  readonly token: number;
  /** Monotonic time of the claim, in milliseconds. */
  readonly claimedAt: number;
}

/**
 * - `done`: completed in the inbox, which may have taken `next` for the same worker.
 * - `lost`: the lease ended first, or another claim took its place; a transaction has written nothing.
 * - `failed`: the claim is still valid, and the caller decides what becomes of the event.
 */
export type ClaimedRun =
  | {
      readonly kind: "done";
      readonly as: "handled" | "unrouted" | "superseded";
      readonly next?: TakenEvent | undefined;
    }
  | { readonly kind: "lost"; readonly error: Error }
  | {
      readonly kind: "failed";
      readonly code: "CS_HANDLER_FAILED" | "CS_HANDLER_TIMEOUT";
      readonly error: unknown;
    };

/** Ends a run whose claim is no longer valid. */
export const lost = (message: string): ClaimedRun => ({
  kind: "lost",
  error: new Error(message),
});

/** Runs a handler until it settles or its lease ends. Never rejects. */
export async function runHandler(
  { handler, fallback }: Route,
  { envelope, claimedAt }: ClaimedEvent,
  {
    transaction,
    deadline,
  }: {
    readonly transaction: InboxTransaction<unknown> | undefined;
    readonly deadline: Deadline<Outcome>;
  },
  { elapsed, leaseMs, limits, failures }: ReceiverParts,
): Promise<ClaimedRun | "done"> {
  const { identity: event } = envelope;
  const context = new RunContext(event.key);
  if (transaction !== undefined) Object.assign(context, { transaction: transaction.transaction });
  const leaseLeft = (): number => leaseMs - (elapsed() - claimedAt);
  const leaseEnded = (): ClaimedRun =>
    lost(`the handler was still running when its lease of ${String(leaseMs)} ms ended`);

  let leaseEnd: ReturnType<typeof setTimeout> | undefined;
  let isLost = false;
  try {
    // `receiver.on` checked that this handler takes this type's events, and the inbox's type its context.
    const run = handler((fallback ? envelope.event : envelope.body) as never, context as never);
    if (isThenable(run)) {
      const { promise: leaseOver, resolve } = Promise.withResolvers<ClaimedRun>();
      deadline.whenPassed = () => {
        const error = new Error(
          `the handler did not settle within limits.answerMs (${String(limits.answerMs)} ms)`,
        );
        context.abort(error);
        deadline.handlerGoesOn = true;
        leaseEnd = setTimeout(() => resolve(leaseEnded()), leaseLeft());
        return failed("CS_HANDLER_TIMEOUT", error, event);
      };
      const settled = Promise.resolve(run).then(
        () => "done" as const,
        (error: unknown) => {
          // Nobody waits for it any more, but its error must not disappear.
          if (isLost) failures.report(failed("CS_HANDLER_FAILED", error, event));
          return handlerFailed(error);
        },
      );
      const result = await Promise.race([settled, leaseOver]);
      isLost = result !== "done" && result.kind === "lost";
      if (result !== "done") return result;
    }
    return leaseLeft() > 0 ? "done" : leaseEnded();
  } catch (error) {
    return handlerFailed(error);
  } finally {
    clearTimeout(leaseEnd);
  }
}

/** The context of one run. Its signal is created on first use: most handlers never read it. */
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

const handlerFailed = (error: unknown): ClaimedRun => ({
  kind: "failed",
  code: "CS_HANDLER_FAILED",
  error,
});

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" &&
  value !== null &&
  "then" in value &&
  typeof value.then === "function";
