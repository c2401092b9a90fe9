import type { Catalogue, EventTypeMap } from "@countersign/schemas";
import { schemeOf } from "@countersign/signatures";
import { after, type Awaitable, settled } from "./awaitable.ts";
import { entriesOf } from "./catalogue-entries.ts";
import {
  checkAcknowledge,
  checkIdReuse,
  checkLease,
  checkLimits,
  checkNames,
  checkOrder,
  checkRetention,
  checkWorkers,
} from "./check-options.ts";
import { createForgetting } from "./inbox/forgetting.ts";
import type { ContextOf, Handler } from "./handler.ts";
import type { DeadEvent, EventKey, Inbox, TransactionalInbox } from "./inbox/inbox.ts";
import { memoryInbox } from "./inbox/memory.ts";
import type { EventTypes, OutcomeFacts, ReceiverOptions } from "./options.ts";
import type { Outcome } from "./outcome.ts";
import { envelopeOf, profileOf } from "./profile.ts";
import { type Attempt, receive } from "./receive.ts";
import type { ReceiverParts } from "./receiver-parts.ts";
import { defaultRespond, type ReceiverResponse } from "./respond.ts";
import { createRouter } from "./router.ts";
import { secretsOf } from "./secrets-of.ts";
import { createSlots } from "./slots.ts";
import { STORED_AT_ONCE } from "./store-event.ts";
import { createStoredEvents } from "./inbox/stored-events.ts";
import { publishOutcome } from "./watch.ts";

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
   * Registers the handler of a type or of a category. The most specific one runs, and exactly one.
   *
   * @throws {TypeError} the catalogue has no such name, it has a handler already, or an attempt was received before.
   */
  on<Name extends keyof EventsByName<Types> & string>(
    name: Name,
    handler: Handler<EventsByName<Types>[Name], ContextOf<InboxType>>,
  ): Receiver<Types, InboxType>;
  /** Decides about one attempt. Never rejects: whatever goes wrong is an outcome. */
  receive(attempt: Attempt): Promise<Outcome>;
  /** Decides about one attempt and says how to answer it; what adapters call. */
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
  /** Takes no further stored event, and resolves when those that are handled now have settled. */
  stop(): Promise<void>;
  /**
   * Events that were given up after `workers.maxAttempts`, the latest first, at most `limit` of them (default 100).
   *
   * @throws {TypeError} the inbox has no queue.
   */
  dead(options?: { readonly limit?: number }): Promise<readonly DeadEvent[]>;
  /**
   * Makes a dead event due now, with new attempts. False where there is none of that id.
   *
   * @throws {TypeError} the inbox has no queue.
   */
  retry(id: string | EventKey): Promise<boolean>;
}

/** Events of a provider without a catalogue: what a handler gets is unknown JSON. */
export type UntypedEvents = Readonly<
  Record<string, Readonly<Record<string, unknown>> & { readonly category: string }>
>;

/** Types are known where the profile is the standard one, or a catalogue brings them. */
type TypedByCatalogue<Types> =
  | { readonly profile?: "standard" }
  | { readonly catalogue: Catalogue<Types> };

/**
 * Makes a receiver: it verifies each attempt over its raw bytes, claims each event once in its inbox
 * and runs the one handler that fits. An event is acknowledged only after its handler has succeeded.
 *
 * @throws {TypeError} a mistake of the caller: no secret or a garbled one, no fallback, an unknown or
 *   wrong option. It never prints a secret.
 */
export function createReceiver<
  Types extends EventTypes = EventTypeMap,
  InboxType extends Inbox = Inbox,
>(options: ReceiverOptions<Types, InboxType> & TypedByCatalogue<Types>): Receiver<Types, InboxType>;
/** With another profile and no catalogue of it: its events by name, their bodies as they come. */
export function createReceiver<InboxType extends Inbox = Inbox>(
  options: ReceiverOptions<UntypedEvents, InboxType>,
): Receiver<UntypedEvents, InboxType>;
export function createReceiver<Types extends EventTypes, InboxType extends Inbox>(
  options: ReceiverOptions<Types, InboxType>,
): Receiver<Types, InboxType> {
  checkNames(options);
  const { fallback, now = Date.now, respond = defaultRespond } = options;
  if (typeof fallback !== "function")
    throw new TypeError(
      'createReceiver: "fallback" must be a function: senders add event types without notice',
    );
  const inbox: Inbox = options.inbox ?? memoryInbox();
  const queue = checkAcknowledge(options, inbox);
  const profile = profileOf(options.profile);
  const scheme = schemeOf(profile.signature);
  const limits = checkLimits(options.limits, inbox);
  const catalogue = entriesOf<Types>(options.catalogue, profile);
  const categories = new Set([...catalogue.values()].map(({ category }) => category));
  const router = createRouter({ names: [...catalogue.keys(), ...categories], fallback });
  const parts: ReceiverParts = {
    scheme,
    toleranceSeconds: profile.signature.toleranceSeconds,
    envelope: envelopeOf(profile),
    catalogue,
    inbox,
    begin: isTransactional(inbox) ? (claim) => inbox.begin(claim) : undefined,
    queue,
    onStored: () => stored.onStored(),
    order: checkOrder(options.order, inbox),
    anyBody: checkIdReuse(options.onIdReuse),
    leaseMs: checkLease(options.lease, limits),
    limits,
    router,
    slots: createSlots(queue === undefined ? limits.concurrentHandlers : STORED_AT_ONCE),
    now,
    secretsOf: secretsOf(options.secrets, scheme),
  };
  const retentionMs = checkRetention(options.retention, { inbox, profile });
  const forget = createForgetting(inbox, { retentionMs, now });

  const report = (outcome: Outcome, facts: OutcomeFacts): void => {
    publishOutcome(outcome, facts);
    try {
      options.onOutcome?.(outcome, facts);
    } catch {
      // An observer never changes what is answered.
    }
    forget();
  };
  const stored = createStoredEvents({
    parts,
    settings: queue && checkWorkers(options.workers, inbox),
    report,
  });

  const decide = (attempt: Attempt): Awaitable<Outcome> => {
    const startedAt = performance.now();
    // The last net: a mistake in the flow itself must not end the process, nor acknowledge.
    const net = { failed: failedReceiver, end: () => undefined };
    return after(
      settled(() => receive(attempt, parts), net),
      (outcome) => {
        report(outcome, { durationMs: performance.now() - startedAt });
        return outcome;
      },
    );
  };

  const receiver: Receiver<Types, InboxType> = {
    on(name, handler) {
      router.register(name, handler);
      return receiver;
    },
    receive: async (attempt) => decide(attempt),
    async answer(attempt) {
      const outcome = await decide(attempt);
      try {
        return { outcome, response: respond(outcome) };
      } catch (error) {
        // A policy that throws must not acknowledge, nor end the process.
        const failed = failedReceiver(error);
        return { outcome: failed, response: defaultRespond(failed) };
      }
    },
    start: () => stored.start(),
    stop: () => stored.stop(),
    dead: (given) => stored.dead(given),
    retry: (id) => stored.retry(id),
  };
  return receiver;
}

const isTransactional = (inbox: Inbox): inbox is TransactionalInbox<unknown> =>
  "begin" in inbox && typeof inbox.begin === "function";

const failedReceiver = (error: unknown): Outcome => ({
  kind: "failed",
  code: "CS_RECEIVER_FAILED",
  retryAfterSeconds: 5,
  error,
});
