import type { EventKey, EventResource } from "../inbox/inbox.ts";
import type { Deadline } from "./admission.ts";
import {
  type EventFacts,
  type IncomingEvent,
  isSuperseded,
  isTypeProved,
  resourceOf,
} from "./event.ts";
import { type EventIdentity, failed, type Outcome } from "./outcome.ts";
import { printReply } from "./respond.ts";
import { isThenable } from "../runtime.ts";
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

/** The end of a run: the event is completed in the inbox, or the caller decides what becomes of it. */
export type ClaimedRun =
  | {
      readonly kind: "handled" | "unrouted" | "superseded";
      /** The handler's return value as text, for providers that want it as the answer. */
      readonly reply?: string | undefined;
    }
  | FailedRun;

interface FailedRun {
  readonly kind: "failed";
  readonly code: "CS_HANDLER_FAILED" | "CS_HANDLER_TIMEOUT" | "CS_CLAIM_LOST";
  readonly error: unknown;
}

const failedRun = (code: FailedRun["code"], error: unknown): FailedRun => ({
  kind: "failed",
  code,
  error,
});

/** The lease ended first, or another claim took its place; a transaction has written nothing. */
const lost = (message: string): FailedRun => failedRun("CS_CLAIM_LOST", new Error(message));
const takenOver = (): FailedRun => lost("another attempt has taken over the event");

/**
 * Runs a claimed event's handler and completes it, in the handler's transaction if the inbox has one.
 * When `deadline` passes, the handler's signal aborts; the handler keeps its claim until it settles or
 * its lease ends. Rejects if the inbox is unavailable: the claim ends with its lease.
 *
 * @param leaveSlot Called before a completion that holds no connection, so that one statement completes
 *   many events.
 */
export async function runClaimed(
  claimed: ClaimedEvent,
  deadline: Deadline<Outcome>,
  parts: ReceiverParts,
  leaveSlot?: () => void,
): Promise<ClaimedRun> {
  const { event: incoming, token } = claimed;
  const { key, type } = incoming.identity;
  const { inbox, leaseMs, order, catalogue } = parts;
  const entry = catalogue.get(type);
  const late = inboxLate(incoming.identity);
  const resource = order === "per-resource" ? resourceOf(incoming, entry) : undefined;
  if (resource !== undefined) {
    const skipped = await deadline.during(late, () => skipOlder(claimed, resource, parts));
    if (skipped !== undefined) return skipped;
  }

  // An attempt that was answered meanwhile starts nothing; its sender tries again.
  if (deadline.isPassed) return failedRun("CS_HANDLER_TIMEOUT", new Error("no time was left"));
  // No schema judges a new type's body: unless the type is proved, a stranger could lead any genuine body to the handler.
  const isOfCategory = entry !== undefined || !parts.isTyped || isTypeProved(incoming.facts);
  const route = parts.router.find(type, isOfCategory ? incoming.facts.category : undefined);
  const transaction = parts.begin?.({ key, token, leaseMs });
  const context = new RunContext(key, incoming.facts, entry !== undefined);
  if (transaction !== undefined) Object.assign(context, { transaction: transaction.transaction });
  const run = await runHandler(route, claimed, context, deadline, parts);
  if (run.kind === "failed") {
    await deadline.during(late, () => transaction?.rollback());
    return run;
  }

  if (transaction?.holdsConnection !== true) leaveSlot?.();
  const now = parts.now();
  const end = await deadline.during(late, () =>
    transaction === undefined ? inbox.complete({ key, token, now }) : transaction.commit(now),
  );
  if (end === true) return run;
  if (end === false || end.state === "lost") return takenOver();
  return end.state === "failed" ? failedRun("CS_HANDLER_FAILED", end.error) : run;
}

/** The order guard: completes an event that is older than its resource's last handled one, without running anything. */
async function skipOlder(
  { event: { identity }, token }: ClaimedEvent,
  resource: EventResource,
  { inbox, now }: ReceiverParts,
): Promise<ClaimedRun | undefined> {
  const { key, type } = identity;
  // The claim keeps other events of the resource away until this one is completed.
  const { provider, tenant } = key;
  const last = await inbox.lastHandled({ provider, tenant, name: resource.name });
  if (!isSuperseded({ type, resource }, last)) return undefined;
  const done = await inbox.complete({ key, token, now: now(), superseded: true });
  return done ? { kind: "superseded" } : takenOver();
}

/** The answer to an attempt whose inbox did not answer within `limits.answerMs`. */
export const inboxLate = (event: EventIdentity) => (): Outcome =>
  failed("CS_INBOX_UNAVAILABLE", new Error("the inbox did not answer in time"), event);

/** Runs a handler until it settles or its lease ends. Never rejects. */
function runHandler(
  { handler, fallback }: Route,
  { event: incoming, claimedAt }: ClaimedEvent,
  context: RunContext,
  deadline: Deadline<Outcome>,
  { elapsed, leaseMs, limits, failures, provider }: ReceiverParts,
): Promise<ClaimedRun> {
  const { identity: event, facts, data, body } = incoming;
  const leaseLeft = (): number => leaseMs - (elapsed() - claimedAt);
  const leaseEnded = (): FailedRun =>
    lost(`the handler was still running when its lease of ${String(leaseMs)} ms ended`);

  return new Promise((resolve) => {
    let leaseEnd: ReturnType<typeof setTimeout> | undefined;
    let isLost = false;
    const end = (run: ClaimedRun): void => {
      clearTimeout(leaseEnd);
      resolve(run);
    };
    const succeed = (returned: unknown): void => {
      const type = provider.answer?.reply;
      const isReply = type !== undefined && (returned ?? "") !== "";
      const reply = isReply ? printReply(returned, type) : undefined;
      if (isReply && reply === undefined) failures.reportReply(event, type);
      end(leaseLeft() > 0 ? { kind: fallback ? "unrouted" : "handled", reply } : leaseEnded());
    };
    const fail = (error: unknown): void => {
      // Nobody waits for it any more, but its error must not disappear.
      if (isLost) failures.report(failed("CS_HANDLER_FAILED", error, event));
      end(failedRun("CS_HANDLER_FAILED", error));
    };
    const late = (): Outcome => {
      const error = new Error(
        `the handler did not settle within limits.answerMs (${String(limits.answerMs)} ms)`,
      );
      context.abort(error);
      deadline.handlerGoesOn = true;
      const endLease = (): void => {
        isLost = true;
        resolve(leaseEnded());
      };
      // Nothing is left after a blocked event loop.
      leaseEnd = setTimeout(endLease, Math.max(1, leaseLeft()));
      return failed("CS_HANDLER_TIMEOUT", error, event);
    };
    try {
      // `receiver.on` checked that this handler takes this type's events, and the inbox's type its context.
      const given = fallback ? { ...facts, data } : body;
      const returned = deadline.during(late, () => handler(given as never, context as never));
      if (isThenable(returned)) Promise.resolve(returned).then(succeed, fail);
      else succeed(returned);
    } catch (error) {
      fail(error);
    }
  });
}

/** The context of one run. Its signal is created on first use: most handlers never read it. */
class RunContext implements HandlerContext {
  readonly tenant: string;
  readonly event: EventFacts;
  readonly isKnownType: boolean;
  readonly #key: EventKey;
  #abort: AbortController | undefined;

  constructor(key: EventKey, facts: EventFacts, isKnownType: boolean) {
    this.tenant = key.tenant;
    this.event = facts;
    this.isKnownType = isKnownType;
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
