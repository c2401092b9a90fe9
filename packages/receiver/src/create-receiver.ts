import { checkOptions, settingsOf, warnOfRisks } from "./check-options.ts";
import { createHousekeeping } from "./pipeline/housekeeping.ts";
import type { DeadEvent, EventKey, Inbox } from "./inbox/inbox.ts";
import type { TransactionalInbox } from "./inbox/transaction.ts";
import { memoryInbox } from "./inbox/memory.ts";
import { requireQueue, Worker } from "./pipeline/worker.ts";
import { MistakeError } from "./mistake.ts";
import type { ReceiverOptions, Replay } from "./options.ts";
import { HandlerSlots, Running } from "./pipeline/admission.ts";
import { type Attempt, BodyMemory } from "./pipeline/body.ts";
import { FailureLog } from "./pipeline/failure-log.ts";
import { eventOf, failed, type Outcome, type ReceiverResponse } from "./pipeline/outcome.ts";
import type { ReceiverParts } from "./pipeline/parts.ts";
import { type Answered, receive } from "./pipeline/receive.ts";
import { STORED_AT_ONCE } from "./pipeline/record.ts";
import { checkResponse, defaultRespond, respondAs } from "./pipeline/respond.ts";
import { type ContextOf, type Handler, Router } from "./pipeline/router.ts";
import { checkSecrets, KeyCache } from "./pipeline/credentials.ts";
import type { ReadList } from "./reconcile/event-list.ts";
import { reconcile, type Reconciliation, type ReconcileOptions } from "./reconcile/reconcile.ts";
import { ownTypePrefixes, providerParts, type UntypedEvents } from "./provider.ts";
import { checkUse, verifySettings } from "./provider-options.ts";

type Before<Name> = Name extends `${infer First}.${string}` ? First : never;

/** The event's own category if its type says it, else the text before its type's first dot. */
type CategoryOf<Name, Event> = Event extends { readonly category: infer Category extends string }
  ? string extends Category
    ? Before<Name>
    : Category
  : Before<Name>;

/** The events of a catalogue by their types and, as unions, by their categories. */
export type EventsByName<Types> = Types & {
  readonly [Name in keyof Types & string as CategoryOf<Name, Types[Name]>]: Types[Name];
};

export interface Receiver<Types = UntypedEvents, InboxType extends Inbox = Inbox> {
  /**
   * Registers the handler of a type or of a category. Exactly one handler runs, the most specific one. A category's handler
   * also gets types that are newer than the catalogue, if the signature covers the type: see `context.isKnownType`.
   *
   * @throws {TypeError} the catalogue, if the provider has one, has no such name, it has a handler already, or an attempt was received before.
   */
  on<Name extends keyof EventsByName<Types> & string>(
    name: Name,
    handler: Handler<EventsByName<Types>[Name], ContextOf<InboxType>>,
  ): Receiver<Types, InboxType>;
  /** Decides about one attempt. Never rejects: whatever fails is an outcome. */
  receive(attempt: Attempt): Promise<Outcome>;
  /** Decides about one attempt and returns its answer; adapters call this. */
  answer(attempt: Attempt): Promise<{
    readonly outcome: Outcome;
    readonly response: ReceiverResponse;
  }>;
  /**
   * Starts to handle stored events in this process; any number of processes share one inbox. Call it
   * when all handlers are registered.
   *
   * @throws {TypeError} `acknowledge` is not `'after-store'`, or another started receiver has the same inbox and provider name.
   */
  start(): void;
  /** Takes no further stored event, and resolves when those in progress have settled. */
  stop(): Promise<void>;
  /**
   * Stops the workers and waits for all attempts and handlers, also for those whose attempt was answered
   * before. Resolves with true, or with false if some are still running after `graceMs` (default 10,000).
   * Stop the server first: `stopServer` of `@countersign/receiver/node` does both.
   */
  close(options?: { readonly graceMs?: number }): Promise<boolean>;
  /**
   * Events that were given up after `workers.maxAttempts`, the latest first, at most `limit` of them (default 100).
   *
   * @throws {TypeError} the inbox has no queue.
   */
  dead(options?: { readonly limit?: number }): Promise<readonly DeadEvent[]>;
  /**
   * Makes a dead event due now, with new attempts. Resolves with false if no dead event has that id.
   *
   * @throws {TypeError} the inbox has no queue.
   */
  retry(id: string | EventKey): Promise<boolean>;
  /**
   * Compares the provider's own list of events with the inbox, and with `feed` handles those that never arrived, or whose
   * handler failed, as attempts are handled: the same claims, handlers and transactions, once. They are not signed:
   * `context.event.reconciled` and the outcome say so. A later attempt of such an event is a duplicate.
   *
   * A run that ends early can be repeated. Do not feed events of a time before this inbox was in use.
   *
   * @throws {TypeError} the inbox forgets with its process, or `since` is before `retention`: what was handled is forgotten.
   * @throws {ListError} the list cannot be read to its end; what was fed before is handled.
   */
  reconcile(list: ReadList, options: ReconcileOptions): Promise<Reconciliation>;
}

/**
 * Creates a receiver. It verifies each attempt over its raw bytes, claims each event once in its inbox
 * and runs exactly one handler. An event is acknowledged only after its handler has succeeded.
 *
 * @throws {TypeError} a mistake of the caller: a document that could be fooled, no secret or an invalid one, no
 *   fallback, an unknown or invalid option. The message never contains a secret.
 */
export function createReceiver<Types = UntypedEvents, InboxType extends Inbox = Inbox>(
  options: ReceiverOptions<Types, InboxType>,
): Receiver<Types, InboxType> {
  checkOptions(options);
  const { provider, fallback, now = Date.now, onOutcome } = options;
  const fromProvider = providerParts(provider, options.catalogue, "createReceiver");
  const { respond = respondAs(provider) } = options;
  const { scheme, catalogue } = fromProvider;
  const credentials = checkSecrets(options.secrets, fromProvider, "createReceiver");
  const failures = new FailureLog(provider, options.log);
  checkUse(options, fromProvider);
  warnOfRisks(options, provider, scheme);
  const inbox: Inbox = options.inbox ?? memoryInbox();
  const { limits, leaseMs, retentionMs, stored } = settingsOf(options, inbox, provider);
  const categories = [...catalogue.values()].flatMap(({ category }) => category ?? []);
  const router = new Router(
    new Set([...catalogue.keys(), ...categories]),
    ownTypePrefixes(provider),
    fallback,
  );
  const elapsed = (): number => performance.now();
  const parts: ReceiverParts = {
    ...fromProvider,
    ...verifySettings(options, fromProvider, "createReceiver"),
    inbox,
    begin: isTransactional(inbox) ? (claim) => inbox.begin(claim) : undefined,
    queue: stored?.queue,
    onStored: () => worker?.onStored(),
    order: options.order ?? "none",
    mode: options.mode ?? "both",
    onIdReuse: options.onIdReuse ?? "duplicate",
    replayOf: replayBy(options.replay),
    verifyToken: options.verifyToken,
    keys: scheme.needsKey && options.keyOf ? new KeyCache(options.keyOf, elapsed) : undefined,
    leaseMs,
    retryMs:
      3_600_000 *
      (typeof provider.retries === "object" ? provider.retries.hours : UNKNOWN_RETRY_HOURS),
    limits,
    router,
    slots: new HandlerSlots(stored === undefined ? limits.concurrentHandlers : STORED_AT_ONCE),
    memory: new BodyMemory(limits),
    failures,
    explain:
      (options.explain ?? isDevelopment()) && options.log !== false
        ? explainer(options, elapsed)
        : undefined,
    // Databases store whole milliseconds.
    now: () => Math.floor(now()),
    elapsed,
    credentials,
    running: new Running(),
    report(outcome, facts) {
      failures.report(outcome);
      if (onOutcome !== undefined)
        failures.guard("onOutcome threw", () => onOutcome(outcome, facts));
      keepHouse();
    },
  };
  const keepHouse = createHousekeeping(parts, retentionMs);
  const worker =
    stored &&
    new Worker({ parts, queue: stored.queue, settings: stored.workers, onLook: keepHouse });

  const answered = (outcome: Outcome): Required<Answered> => {
    try {
      return { outcome, response: checkResponse(respond(outcome)) };
    } catch (error) {
      // A policy that throws must not acknowledge, nor end the process.
      const own = failed("CS_RECEIVER_FAILED", error, eventOf(outcome));
      return { outcome: own, response: defaultRespond(own) };
    }
  };
  const unanswered = (outcome: Outcome): Answered => ({ outcome });

  const receiver: Receiver<Types, InboxType> = {
    on(name, handler) {
      router.register(name, handler);
      return receiver;
    },
    async receive(attempt) {
      return (await receive(attempt, unanswered, parts)).outcome;
    },
    answer: (attempt) => receive(attempt, answered, parts),
    start() {
      if (worker !== undefined) worker.start();
      else
        throw new MistakeError(
          'receiver.start(): workers need acknowledge "after-store"',
          "CS_OPTION_CONFLICT",
        );
    },
    stop: async () => worker?.stop(),
    async close({ graceMs = 10_000 } = {}) {
      const settled = Promise.all([worker?.stop(), parts.running.settled()]).then(() => true);
      let timer: ReturnType<typeof setTimeout> | undefined;
      const cut = new Promise<false>((resolve) => {
        timer = setTimeout(() => resolve(false), graceMs);
      });
      return Promise.race([settled, cut]).finally(() => clearTimeout(timer));
    },
    dead: async ({ limit = 100 } = {}) => requireQueue(inbox, "dead").dead({ limit }),
    async retry(id) {
      const key = typeof id === "string" ? { provider: provider.name, tenant: "", id } : id;
      const retried = await requireQueue(inbox, "retry").retry({ key, now: now() });
      worker?.wake();
      return retried;
    },
    reconcile(list, reconcileOptions) {
      const run = reconcile(list, reconcileOptions, { parts, retentionMs });
      parts.running.enter();
      return run.finally(() => parts.running.leave());
    },
  };
  return receiver;
}

/** The attempt after a lost answer is a sender's last one, and published schedules pause for at most a day between two. */
const UNKNOWN_RETRY_HOURS = 24;

const isTransactional = (inbox: Inbox): inbox is TransactionalInbox<unknown> =>
  "begin" in inbox && typeof inbox.begin === "function";

function replayBy(replay: ReceiverOptions<unknown>["replay"] = "report"): (type: string) => Replay {
  if (typeof replay === "string") return () => replay;
  const byType = new Map(Object.entries(replay));
  return (type) => byType.get(type) ?? "report";
}

/** The one look at the environment: an explanation reads strangers' bodies, which production does not need. */
const isDevelopment = (): boolean => globalThis.process?.env?.["NODE_ENV"] !== "production";

const EXPLAINED_BYTES = 65_536;
const EXPLAINED_MS = 1000;

/** Explains refused signatures in a developer's log. Its code is loaded on first use: other receivers do not pay for it. */
function explainer(
  { provider, claims }: Pick<ReceiverOptions<unknown>, "provider" | "claims">,
  elapsed: () => number,
): NonNullable<ReceiverParts["explain"]> {
  let nextAt = 0;
  return async (attempt, secrets, now) => {
    if (elapsed() < nextAt || attempt.body.length > EXPLAINED_BYTES) return undefined;
    nextAt = elapsed() + EXPLAINED_MS;
    const { explain } = await import("@countersign/signatures/explain");
    const causes = explain(attempt, secrets, provider, { now, claims });
    return causes.map(({ certain, sentence, fix }) =>
      certain ? `${sentence} ${fix}` : `Probably: ${sentence} ${fix}`,
    );
  };
}
