import type { EventTypeMap } from "@countersign/schemas";
import type { StatedScheme } from "@countersign/signatures/stated";
import { checkOptions, settingsOf } from "./check-options.ts";
import { createHousekeeping } from "./inbox/housekeeping.ts";
import type { DeadEvent, EventKey, Inbox, TransactionalInbox } from "./inbox/inbox.ts";
import { memoryInbox } from "./inbox/memory.ts";
import { requireQueue, Worker } from "./inbox/worker.ts";
import type { ReceiverOptions } from "./options.ts";
import { HandlerSlots, Running } from "./pipeline/admission.ts";
import { type Attempt, BodyMemory } from "./pipeline/body.ts";
import { FailureLog, warnOfRisks } from "./pipeline/failure-log.ts";
import type { OutcomeFacts } from "./pipeline/observe.ts";
import { eventOf, failed, type Outcome } from "./pipeline/outcome.ts";
import type { ReceiverParts } from "./pipeline/parts.ts";
import { receive } from "./pipeline/receive.ts";
import { STORED_AT_ONCE } from "./pipeline/record.ts";
import { checkResponse, defaultRespond, type ReceiverResponse } from "./pipeline/respond.ts";
import { type ContextOf, type Handler, Router } from "./pipeline/router.ts";
import { checkSecrets } from "./pipeline/verify.ts";
import {
  type EventTypes,
  profileOf,
  profileParts,
  type TypedByCatalogue,
  type UntypedEvents,
} from "./profile.ts";

/** The events of a catalogue by their types and, as unions, by their categories. */
export type EventsByName<Types extends EventTypes> = Types & {
  readonly [Category in Types[keyof Types]["category"]]: Extract<
    Types[keyof Types],
    { readonly category: Category }
  >;
};

export interface Receiver<
  Types extends EventTypes = EventTypeMap,
  InboxType extends Inbox = Inbox,
> {
  /**
   * Registers the handler of a type or of a category. Exactly one handler runs, the most specific one.
   *
   * @throws {TypeError} the catalogue has no such name, it has a handler already, or an attempt was received before.
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
   * @throws {TypeError} `acknowledge` is not `'after-store'`.
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
}

/**
 * Creates a receiver. It verifies each attempt over its raw bytes, claims each event once in its inbox
 * and runs exactly one handler. An event is acknowledged only after its handler has succeeded.
 *
 * @throws {TypeError} a mistake of the caller: no secret or an invalid one, no fallback, an unknown or
 *   invalid option. The message never contains a secret.
 */
export function createReceiver<
  Types extends EventTypes = EventTypeMap,
  InboxType extends Inbox = Inbox,
>(options: ReceiverOptions<Types, InboxType> & TypedByCatalogue<Types>): Receiver<Types, InboxType>;
/** With another profile and no catalogue for it: its events by name, their bodies as they arrive. */
export function createReceiver<InboxType extends Inbox = Inbox>(
  options: ReceiverOptions<UntypedEvents, InboxType>,
): Receiver<UntypedEvents, InboxType>;
export function createReceiver<Types extends EventTypes, InboxType extends Inbox>(
  options: ReceiverOptions<Types, InboxType>,
): Receiver<Types, InboxType> {
  checkOptions(options);
  const { fallback, now = Date.now, respond = defaultRespond, onOutcome } = options;
  const profile = profileOf(options.profile);
  const fromProfile = profileParts(profile, options.catalogue);
  const { scheme, catalogue } = fromProfile;
  const findSecrets = checkSecrets(options.secrets, scheme);
  const failures = new FailureLog(options.log);
  warnOfRisks(options, scheme);
  const inbox: Inbox = options.inbox ?? memoryInbox();
  const { limits, leaseMs, retentionMs, stored } = settingsOf(options, inbox, profile);
  const categories = new Set([...catalogue.values()].map(({ category }) => category));
  const router = new Router([...catalogue.keys(), ...categories], fallback);
  const elapsed = (): number => performance.now();
  const parts: ReceiverParts = {
    ...fromProfile,
    inbox,
    begin: isTransactional(inbox) ? (claim) => inbox.begin(claim) : undefined,
    queue: stored?.queue,
    onStored: () => worker?.onStored(),
    order: options.order ?? "none",
    onIdReuse: options.onIdReuse ?? "duplicate",
    leaseMs,
    limits,
    router,
    slots: new HandlerSlots(stored === undefined ? limits.concurrentHandlers : STORED_AT_ONCE),
    memory: new BodyMemory(limits),
    failures,
    explain: options.explain === true ? explainer(profile.signature) : undefined,
    // Databases store whole milliseconds.
    now: () => Math.floor(now()),
    elapsed,
    findSecrets,
  };
  const keepHouse = createHousekeeping(parts, retentionMs);
  const running = new Running();

  const report = (outcome: Outcome, facts: OutcomeFacts): void => {
    failures.report(outcome);
    if (onOutcome !== undefined) failures.guard("onOutcome threw", () => onOutcome(outcome, facts));
    keepHouse();
  };
  const worker =
    stored &&
    new Worker({ parts, queue: stored.queue, settings: stored.workers, report, onLook: keepHouse });

  /** Decides about an attempt; `answerWith` maps its outcome to what is really answered, and is reported. */
  async function decide<Answer extends Answered>(
    attempt: Attempt,
    answerWith: (outcome: Outcome) => Answer,
  ): Promise<Answer> {
    const startedAt = elapsed();
    running.enter();
    const { outcome, secretIndex, later } = await receive(attempt, parts);
    const facts = (): Writable<OutcomeFacts> => {
      const durationMs = elapsed() - startedAt;
      return secretIndex === undefined ? { durationMs } : { durationMs, secretIndex };
    };
    const answer = answerWith(outcome);
    const answered = facts();
    if (answer.response !== undefined) answered.status = answer.response.status;
    report(answer.outcome, answered);
    if (later === undefined) running.leave();
    else
      void later
        .then((own) => report(own, { ...facts(), late: true }))
        .finally(() => running.leave());
    return answer;
  }

  const receiver: Receiver<Types, InboxType> = {
    on(name, handler) {
      router.register(name, handler);
      return receiver;
    },
    async receive(attempt) {
      return (await decide(attempt, (outcome) => ({ outcome }))).outcome;
    },
    answer: (attempt) =>
      decide(attempt, (outcome) => {
        try {
          return { outcome, response: checkResponse(respond(outcome)) };
        } catch (error) {
          // A policy that throws must not acknowledge, nor end the process.
          const own = failed("CS_RECEIVER_FAILED", error, eventOf(outcome));
          return { outcome: own, response: defaultRespond(own) };
        }
      }),
    start() {
      if (worker !== undefined) worker.start();
      else throw new TypeError('receiver.start(): workers need acknowledge "after-store"');
    },
    stop: async () => worker?.stop(),
    async close({ graceMs = 10_000 } = {}) {
      const settled = Promise.all([worker?.stop(), running.settled()]).then(() => true);
      let timer: ReturnType<typeof setTimeout> | undefined;
      const cut = new Promise<false>((resolve) => {
        timer = setTimeout(() => resolve(false), graceMs);
      });
      return Promise.race([settled, cut]).finally(() => clearTimeout(timer));
    },
    dead: async ({ limit = 100 } = {}) => requireQueue(inbox, "dead").dead({ limit }),
    async retry(id) {
      const key = typeof id === "string" ? { provider: profile.name, tenant: "", id } : id;
      const retried = await requireQueue(inbox, "retry").retry({ key, now: now() });
      worker?.wake();
      return retried;
    },
  };
  return receiver;
}

type Writable<Facts> = { -readonly [Name in keyof Facts]: Facts[Name] };

interface Answered {
  readonly outcome: Outcome;
  readonly response?: ReceiverResponse;
}

const isTransactional = (inbox: Inbox): inbox is TransactionalInbox<unknown> =>
  "begin" in inbox && typeof inbox.begin === "function";

/** Explains refused signatures in a developer's log. Its code is loaded on first use: other receivers do not pay for it. */
function explainer(scheme: StatedScheme & { toleranceSeconds: number }): ReceiverParts["explain"] {
  const { toleranceSeconds } = scheme;
  return async ({ headers, body, secrets, now }) => {
    const { explain } = await import("@countersign/signatures/stated/explain");
    const causes = explain({ headers, body }, secrets, { scheme, now, toleranceSeconds });
    return causes.map(({ certain, sentence, fix }) =>
      certain ? `${sentence} ${fix}` : `Probably: ${sentence} ${fix}`,
    );
  };
}
