import type { EventKey, Inbox } from "../inbox/inbox.ts";
import type { TransactionalInbox } from "../inbox/transaction.ts";
import { MistakeError } from "../mistake.ts";
import type { EventFacts, UnknownEvent } from "./event.ts";

/** The second argument of a handler. */
export interface HandlerContext {
  /** The tenant that `secrets` named; `''` where it names none. */
  readonly tenant: string;
  /** The event's id, type, category, time and account, and what of it the signature proves. */
  readonly event: EventFacts;
  /**
   * True if the catalogue has the event's type. False for a type that the provider has added since, which the fallback or
   * its category's handler gets without a check of its body; always false without a catalogue.
   */
  readonly isKnownType: boolean;
  /**
   * The same for every attempt of this event, and for no other event. Pass it as the idempotency key
   * to services that the handler calls, since such a call can happen twice. Of events without an id, one with the same
   * bytes and type has the same key, unless its sender never retries.
   */
  readonly idempotencyKey: string;
  /**
   * Aborts when `limits.answerMs` has passed: the attempt is answered 503. The handler keeps its claim
   * until it settles or its lease ends; if it succeeds within its lease, the event is handled.
   */
  readonly signal: AbortSignal;
}

/** The context of a handler that may write in the inbox's own transaction. */
export interface TransactionalContext<Transaction> extends HandlerContext {
  /** Writes through it commit together with "handled", or neither does. */
  readonly transaction: Transaction;
}

/** The context of handlers with an inbox: `transaction` exists only if the inbox has transactions. */
export type ContextOf<InboxType extends Inbox> =
  InboxType extends TransactionalInbox<infer Transaction>
    ? TransactionalContext<Transaction>
    : HandlerContext;

/** The merchant's function for an event. The event is handled when it returns, or its promise fulfils, with any value. */
export type Handler<Event, Context = HandlerContext> = (event: Event, context: Context) => unknown;

/** The handler of events without their own. */
export type Fallback<Context = HandlerContext> = Handler<UnknownEvent, Context>;

/** The idempotency key of an event. Encoded, since a tenant and an id may hold colons and spaces. */
export function idempotencyKeyOf({ provider, tenant, id }: EventKey): string {
  const parts = tenant === "" ? [provider, id] : [provider, id, tenant];
  return parts.map(encodeURIComponent).join(":");
}

/** A handler of any event: `receiver.on` checks the event's type. */
export type AnyHandler = (event: never, context: never) => unknown;

export interface Route {
  readonly handler: AnyHandler;
  /** True if no handler is registered for the type or its category. */
  readonly fallback: boolean;
}

/**
 * Finds exactly one handler for an event: the type's, else the category's, else the fallback.
 * With several handlers, a retry after one has failed would run the others again.
 */
export class Router {
  readonly #names: ReadonlySet<string>;
  readonly #prefixes: readonly string[];
  readonly #fallback: Route;
  // A Map, since a plain object answers "constructor" and "toString" with functions.
  readonly #routes = new Map<string | undefined, Route>();
  #routing = false;

  /**
   * @param names The catalogue's types and categories; without any, every name may be registered.
   * @param prefixes Beginnings of types that users name themselves, such as the `/` of Slack's commands.
   */
  constructor(names: ReadonlySet<string>, prefixes: readonly string[], fallback: AnyHandler) {
    this.#names = names;
    this.#prefixes = prefixes;
    this.#fallback = { handler: fallback, fallback: true };
  }

  /**
   * @throws {TypeError} `name` is neither a type nor a category of the catalogue, has a handler
   *   already, or an attempt has been received before.
   */
  register(name: string, handler: AnyHandler): void {
    const problem = this.#problem(name, handler);
    if (problem !== undefined)
      throw new MistakeError(`receiver.on(${quoted(name)}): ${problem}`, "CS_HANDLER_INVALID");
    this.#routes.set(name, { handler, fallback: false });
  }

  #problem(name: string, handler: AnyHandler): string | undefined {
    if (typeof handler !== "function") return "the handler must be a function";
    if (name === "*" || name === "")
      return 'unsupported name; every event without its own handler goes to the "fallback" option of createReceiver';
    const isOwn = this.#prefixes.some((prefix) => name.startsWith(prefix));
    if (this.#names.size > 0 && !this.#names.has(name) && !isOwn)
      return `unknown type or category; expected ${expected(this.#names)}`;
    if (this.#routes.has(name)) return "a handler already exists, and an event has exactly one";
    // A handler registered later would miss events that the fallback has handled meanwhile.
    return this.#routing ? "register all handlers before the first attempt" : undefined;
  }

  find(type: string, category: string | undefined): Route {
    this.#routing = true;
    return this.#routes.get(type) ?? this.#routes.get(category) ?? this.#fallback;
  }
}

export const quoted = (name: unknown): string => JSON.stringify(String(name));

const MOST_LISTED = 20;

const expected = (names: ReadonlySet<string>): string =>
  names.size > MOST_LISTED
    ? `one of the ${String(names.size)} in the document's "catalogue"; if the provider has added it since, extend a copy`
    : `one of ${[...names].map(quoted).join(", ")}`;
