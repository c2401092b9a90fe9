import type { Catalogue, CatalogueEntry, Validation } from "@countersign/schemas";
import { type EventTypeMap, standardCatalogue } from "@countersign/schemas";
import { type Profile, profiles } from "@countersign/schemas/profiles";
import { schemeOf, type Secret, type SignatureScheme } from "@countersign/signatures";
import type { Handler } from "./handler.ts";
import { memoryInbox } from "./inboxes/memory.ts";
import {
  checkLease,
  checkLimits,
  checkNames,
  type EventTypes,
  type ReceiverOptions,
  type SecretsOption,
} from "./options.ts";
import type { Outcome } from "./outcome.ts";
import { envelopeOf, profileOf } from "./profile.ts";
import { type Attempt, receive } from "./receive.ts";
import type { ReceiverParts, TenantSecrets } from "./receiver-parts.ts";
import { defaultRespond, type ReceiverResponse } from "./respond.ts";
import { createRouter } from "./router.ts";
import { createSlots } from "./slots.ts";
import { publishOutcome } from "./watch.ts";

/** The events of a catalogue by their types and, as unions, by their categories. */
export type EventsByName<Types extends EventTypes> = Types & {
  readonly [Category in Types[keyof Types]["category"]]: Extract<
    Types[keyof Types],
    { readonly category: Category }
  >;
};

export interface Receiver<Types extends EventTypes = EventTypeMap> {
  /**
   * Registers the handler of a type or of a category. The most specific one runs, and exactly one.
   *
   * @throws {TypeError} the catalogue has no such name, it has a handler already, or an attempt was received before.
   */
  on<Name extends keyof EventsByName<Types> & string>(
    name: Name,
    handler: Handler<EventsByName<Types>[Name]>,
  ): Receiver<Types>;
  /** Decides about one attempt. Never rejects: whatever goes wrong is an outcome. */
  receive(attempt: Attempt): Promise<Outcome>;
  /** Decides about one attempt and says how to answer it; what adapters call. */
  answer(attempt: Attempt): Promise<{
    readonly outcome: Outcome;
    readonly response: ReceiverResponse;
  }>;
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
export function createReceiver<Types extends EventTypes = EventTypeMap>(
  options: ReceiverOptions<Types> & TypedByCatalogue<Types>,
): Receiver<Types>;
/** With another profile and no catalogue of it: its events by name, their bodies as they come. */
export function createReceiver(options: ReceiverOptions<UntypedEvents>): Receiver<UntypedEvents>;
export function createReceiver<Types extends EventTypes>(
  options: ReceiverOptions<Types>,
): Receiver<Types> {
  checkNames(options);
  if (typeof options.fallback !== "function")
    throw new TypeError(
      'createReceiver: "fallback" must be a function: senders add event types without notice',
    );
  const acknowledge: string = options.acknowledge ?? "after-handler";
  const inbox = options.inbox ?? memoryInbox();
  if (acknowledge === "after-store" && !inbox.durable)
    throw new TypeError(
      'createReceiver: acknowledge "after-store" needs a durable inbox: what memory holds is lost with the process',
    );
  if (acknowledge !== "after-handler")
    throw new TypeError('createReceiver: "acknowledge" must be "after-handler"');

  const profile = profileOf(options.profile);
  const scheme = schemeOf(profile.signature);
  const limits = checkLimits(options.limits);
  const catalogue = entriesOf<Types>(options.catalogue, profile);
  const categories = new Set([...catalogue.values()].map(({ category }) => category));
  const router = createRouter({
    names: [...catalogue.keys(), ...categories],
    fallback: options.fallback,
  });
  const parts: ReceiverParts = {
    scheme,
    toleranceSeconds: profile.signature.toleranceSeconds,
    envelope: envelopeOf(profile),
    catalogue,
    inbox,
    leaseMs: checkLease(options.lease, limits),
    limits,
    router,
    slots: createSlots(limits.concurrentHandlers),
    now: options.now ?? Date.now,
    secretsOf: secretsOf(options.secrets, scheme),
  };
  const respond = options.respond ?? defaultRespond;

  const decide = async (attempt: Attempt): Promise<Outcome> => {
    const startedAt = performance.now();
    // The last net: a mistake in the flow itself must not end the process, nor acknowledge.
    const outcome = await receive(attempt, parts).catch((error: unknown): Outcome => ({
      kind: "failed",
      code: "CS_RECEIVER_FAILED",
      retryAfterSeconds: 5,
      error,
    }));
    const facts = { durationMs: performance.now() - startedAt };
    publishOutcome(outcome, facts);
    try {
      options.onOutcome?.(outcome, facts);
    } catch {
      // An observer never changes what is answered.
    }
    return outcome;
  };

  const receiver: Receiver<Types> = {
    on(name, handler) {
      router.register(name, handler);
      return receiver;
    },
    receive: decide,
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
  };
  return receiver;
}

const failedReceiver = (error: unknown): Outcome => ({
  kind: "failed",
  code: "CS_RECEIVER_FAILED",
  retryAfterSeconds: 5,
  error,
});

/**
 * What is known of each type. The standard catalogue fits the standard profile alone; another
 * profile without a catalogue has its events' names and categories, and no schema to judge them by.
 */
function entriesOf<Types extends EventTypes>(
  catalogue: Catalogue<Types> | undefined,
  profile: Profile,
): ReadonlyMap<string, CatalogueEntry<unknown>> {
  if (catalogue !== undefined) return new Map(Object.entries(catalogue.events));
  if (profile.name === profiles.standard.name)
    return new Map(Object.entries(standardCatalogue.events));
  const passes = (value: unknown): Validation<unknown> => ({ ok: true, value });
  return new Map(
    profile.catalogue.map(({ type, category, resource }) => [
      type,
      { category, resource, amounts: [], validate: passes },
    ]),
  );
}

/** A list is checked now, at start-up; what a function returns is checked with each attempt. */
function secretsOf(secrets: SecretsOption, scheme: SignatureScheme): ReceiverParts["secretsOf"] {
  if (typeof secrets === "function")
    return async (request) => {
      const answer = await secrets(request);
      return isList(answer) ? { tenant: "", secrets: answer } : answer;
    };
  if (!Array.isArray(secrets) || secrets.length === 0)
    throw new TypeError(
      'createReceiver: "secrets" must hold at least one secret, or be a function',
    );
  const list: readonly (Secret | undefined)[] = secrets;
  const given = list.map((secret, index): Secret => {
    if (secret !== undefined) return secret;
    throw new TypeError(
      `createReceiver: secrets[${String(index)}] is undefined: is its environment variable set?`,
    );
  });
  scheme.check(given, "verify");
  const answer: TenantSecrets = { tenant: "", secrets: given };
  return () => answer;
}

const isList = (answer: readonly Secret[] | TenantSecrets): answer is readonly Secret[] =>
  Array.isArray(answer);
