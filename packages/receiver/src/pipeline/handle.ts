import type {
  EventKey,
  EventResource,
  InboxTransaction,
  NextRequest,
  TakenEvent,
} from "../inbox/inbox.ts";
import type { Deadline } from "./admission.ts";
import { type EventFacts, type IncomingEvent, isSuperseded, resourceOf } from "./event.ts";
import { type EventIdentity, failed, type Outcome } from "./outcome.ts";
import type { ReceiverParts } from "./parts.ts";
import { type HandlerContext, idempotencyKeyOf, type Route } from "./router.ts";

/** An event that this process may handle until its lease ends. */
export interface ClaimedEvent {
  readonly event: IncomingEvent;
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
      /** What the handler returned, for providers that want it as the answer. */
      readonly reply?: unknown;
    }
  | { readonly kind: "lost"; readonly error: Error }
  | {
      readonly kind: "failed";
      readonly code: "CS_HANDLER_FAILED" | "CS_HANDLER_TIMEOUT";
      readonly error: unknown;
    };

/** Ends a run whose claim has expired. */
const lost = (message: string): ClaimedRun => ({
  kind: "lost",
  error: new Error(message),
});

const takenOver = (): ClaimedRun => lost("another attempt has taken over the event");

/**
 * Runs a claimed event's handler and completes it, in the handler's transaction if the inbox has one.
 * When `deadline` passes, the handler's signal aborts; the handler keeps its claim until it settles or
 * its lease ends. Rejects if the inbox is unavailable: the claim ends with its lease.
 *
 * @param leaveSlot Called before a completion that holds no connection, so that one statement completes
 *   many events.
 * @param askForNext A worker's request for the next event of the resource, made with the completion.
 */
export async function runClaimed(
  claimed: ClaimedEvent,
  {
    deadline,
    leaveSlot,
    askForNext,
  }: {
    readonly deadline: Deadline<Outcome>;
    readonly leaveSlot?: () => void;
    readonly askForNext?: () => NextRequest | undefined;
  },
  parts: ReceiverParts,
): Promise<ClaimedRun> {
  const { event: incoming, token } = claimed;
  const { identity: event } = incoming;
  const entry = parts.catalogue.get(event.type);
  const resource = parts.order === "per-resource" ? resourceOf(incoming, entry) : undefined;
  const late = inboxLate(event);
  const skipped =
    resource && (await deadline.during(late, () => skipOlder(event, { token, resource }, parts)));
  if (skipped !== undefined) return skipped;

  // An attempt that was answered meanwhile starts nothing; its sender tries again.
  if (deadline.isPassed)
    return { kind: "failed", code: "CS_HANDLER_TIMEOUT", error: new Error("no time was left") };
  const isKnown = entry !== undefined;
  // A category's handler is written for the types of the catalogue.
  const { category } = isKnown || !parts.isTyped ? incoming.facts : { category: undefined };
  const route = parts.router.find(event.type, category);
  const claim = { key: event.key, token, leaseMs: parts.leaseMs };
  const transaction = parts.begin?.(claim);

  const run = await runHandler(route, claimed, { transaction, deadline }, parts);
  if ("kind" in run) {
    await deadline.during(late, () => transaction?.rollback());
    return run;
  }
  if (transaction?.holdsConnection !== true) leaveSlot?.();
  if (transaction !== undefined) {
    const next = resource && askForNext?.();
    return deadline.during(late, () => commit(route, run, { transaction, next }, parts));
  }
  const completion = { key: event.key, token, now: parts.now() };
  const done = await deadline.during(late, () => parts.inbox.complete(completion));
  return done ? ran(route, run) : takenOver();
}

/** The order guard: completes an event that is older than its resource's last handled one, without running anything. */
async function skipOlder(
  { key, type }: EventIdentity,
  { token, resource }: { readonly token: number; readonly resource: EventResource },
  { inbox, now }: ReceiverParts,
): Promise<ClaimedRun | undefined> {
  // The claim keeps other events of the resource away until this one is completed.
  const { provider, tenant } = key;
  const last = await inbox.lastHandled?.({ provider, tenant, name: resource.name });
  if (!isSuperseded({ type, resource }, last)) return undefined;
  const done = await inbox.complete({ key, token, now: now(), superseded: true });
  return done ? { kind: "done", as: "superseded" } : takenOver();
}

async function commit(
  route: Route,
  returned: Returned,
  {
    transaction,
    next,
  }: {
    readonly transaction: InboxTransaction<unknown>;
    readonly next: NextRequest | undefined;
  },
  { now }: ReceiverParts,
): Promise<ClaimedRun> {
  const result = await transaction.commit(now(), next);
  switch (result.state) {
    case "committed":
      return ran(route, returned, result.next);
    case "lost":
      return takenOver();
    case "failed":
      return { kind: "failed", code: "CS_HANDLER_FAILED", error: result.error };
    default:
      return result satisfies never;
  }
}

/** The value of a handler that succeeded. */
interface Returned {
  readonly reply: unknown;
}

const ran = ({ fallback }: Route, { reply }: Returned, next?: TakenEvent): ClaimedRun => ({
  kind: "done",
  as: fallback ? "unrouted" : "handled",
  next,
  reply,
});

/** The answer to an attempt whose inbox did not answer within `limits.answerMs`. */
export const inboxLate = (event: EventIdentity) => (): Outcome =>
  failed("CS_INBOX_UNAVAILABLE", new Error("the inbox did not answer in time"), event);

/** Runs a handler until it settles or its lease ends. Never rejects. */
function runHandler(
  { handler, fallback }: Route,
  { event: incoming, claimedAt }: ClaimedEvent,
  {
    transaction,
    deadline,
  }: {
    readonly transaction: InboxTransaction<unknown> | undefined;
    readonly deadline: Deadline<Outcome>;
  },
  { elapsed, leaseMs, limits, failures, catalogue, provider }: ReceiverParts,
): Promise<ClaimedRun | Returned> {
  const { identity: event, facts, data, body } = incoming;
  const context = new RunContext(event.key, facts);
  if (transaction !== undefined) Object.assign(context, { transaction: transaction.transaction });
  if (fallback) Object.assign(context, { isKnownType: catalogue.has(event.type) });
  const leaseLeft = (): number => leaseMs - (elapsed() - claimedAt);
  const leaseEnded = (): ClaimedRun =>
    lost(`the handler was still running when its lease of ${String(leaseMs)} ms ended`);

  let leaseEnd: ReturnType<typeof setTimeout> | undefined;
  let isLost = false;
  let endRun: ((result: ClaimedRun | Returned) => void) | undefined;
  const late = (): Outcome => {
    const error = new Error(
      `the handler did not settle within limits.answerMs (${String(limits.answerMs)} ms)`,
    );
    context.abort(error);
    deadline.handlerGoesOn = true;
    const endLease = (): void => {
      isLost = true;
      endRun?.(leaseEnded());
    };
    // Nothing is left after a blocked event loop.
    leaseEnd = setTimeout(endLease, Math.max(1, leaseLeft()));
    return failed("CS_HANDLER_TIMEOUT", error, event);
  };
  const run = async (): Promise<ClaimedRun | Returned> => {
    try {
      // `receiver.on` checked that this handler takes this type's events, and the inbox's type its context.
      const given = fallback ? { ...facts, data } : body;
      const returned = await handler(given as never, context as never);
      const reply = provider.answer?.reply === undefined ? undefined : returned;
      return leaseLeft() > 0 ? { reply } : leaseEnded();
    } catch (error) {
      // Nobody waits for it any more, but its error must not disappear.
      if (isLost) failures.report(failed("CS_HANDLER_FAILED", error, event));
      return { kind: "failed", code: "CS_HANDLER_FAILED", error };
    }
  };
  return new Promise((resolve) => {
    endRun = resolve;
    void deadline.during(late, run).then((result) => {
      clearTimeout(leaseEnd);
      resolve(result);
    });
  });
}

/** The context of one run. Its signal is created on first use: most handlers never read it. */
class RunContext implements HandlerContext {
  readonly tenant: string;
  readonly event: EventFacts;
  readonly #key: EventKey;
  #abort: AbortController | undefined;

  constructor(key: EventKey, facts: EventFacts) {
    this.tenant = key.tenant;
    this.event = facts;
    this.#key = key;
  }

  get idempotencyKey(): string {
    return idempotencyKeyOf(this.#key);
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
