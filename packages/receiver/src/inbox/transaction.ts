import type { EventKey, Inbox } from "./inbox.ts";

/** A claimed event's transaction: the handler's writes and "handled" are committed together. */
export interface InboxTransaction<Transaction> {
  /** The handler's `context.transaction`. Begins at its first use. */
  readonly transaction: Transaction;
  /** True once the handler has begun it, if it holds a connection until its end. */
  readonly holdsConnection?: boolean;
  /**
   * Commits the handler's writes with the fenced completion. It rejects if the store became
   * unavailable: then both may be committed or neither, and the next claim of the event shows which.
   */
  commit(now: number): Promise<Commit>;
  /** Undoes what the handler wrote; never rejects. */
  rollback(): Promise<void>;
}

/** Nothing is written if the claim was `lost`, or the handler's writes `failed`; then the claim is still valid. */
export type Commit =
  | { readonly state: "committed" | "lost" }
  | { readonly state: "failed"; readonly error: unknown };

/** An inbox in whose database handlers write. */
export interface TransactionalInbox<Transaction> extends Inbox {
  begin(claim: BeginRequest): InboxTransaction<Transaction>;
}

export interface BeginRequest {
  readonly key: EventKey;
  /** From the claim. */
  readonly token: number;
  /** Validity of the claim from now on, in milliseconds: the database ends the transaction then. */
  readonly leaseMs: number;
}
