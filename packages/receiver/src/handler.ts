import type { EventKey, Inbox, TransactionalInbox } from "./inbox/inbox.ts";

/** What a handler gets beside its event. */
export interface HandlerContext {
  /** The tenant that `secrets` named; `''` where it names none. */
  readonly tenant: string;
  /**
   * The same for every attempt of this event, and for no other event: pass it on as the idempotency
   * key where the handler calls out, since such a call can happen twice.
   */
  readonly idempotencyKey: string;
  /** Aborts when `limits.handlerMs` has passed: the attempt is answered 503, and the next one runs the handler again. */
  readonly signal: AbortSignal;
}

/** The context of a handler that may write in the inbox's own transaction. */
export interface TransactionalContext<Transaction> extends HandlerContext {
  /** What is written through it is committed together with "handled", or neither is. */
  readonly transaction: Transaction;
}

/** What handlers get with an inbox: `transaction` is there only where the inbox has one. */
export type ContextOf<InboxType extends Inbox> =
  InboxType extends TransactionalInbox<infer Transaction>
    ? TransactionalContext<Transaction>
    : HandlerContext;

/** The merchant's function for an event. The event is handled when it returns or its promise fulfils. */
export type Handler<Event, Context = HandlerContext> = (
  event: Event,
  context: Context,
) => void | Promise<void>;

/** The idempotency key of an event. The tenant may hold any character, the id may not hold a colon. */
export function idempotencyKeyOf({ tenant, id }: EventKey): string {
  return tenant === "" ? id : `${id}:${tenant}`;
}
