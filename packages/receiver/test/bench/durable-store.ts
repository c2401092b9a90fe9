import type { Inbox, InboxQueue } from "@countersign/receiver";

/** An event as a bare loop writes it down. */
export interface Row {
  readonly id: string;
  readonly body: string;
}

/** A database with an inbox in it, and the loops that somebody writes without one, at the same durability. */
export interface DurableStore<InboxType extends Inbox> {
  readonly name: string;
  readonly inbox: InboxType & { readonly queue: InboxQueue };
  /** One row, in a transaction that all rows which wait share. */
  insertTogether(row: Row): Promise<void>;
  /** One row, in a transaction of its own. */
  insertAlone(row: Row): Promise<void>;
  /** The two transactions of a handler that writes: the claim; a payment and the claim's end. */
  claimAndBook(row: Row): Promise<void>;
  /** The handler of the same payment, in the inbox's transaction. */
  readonly book: (
    id: string,
    transaction: InboxType extends { begin(claim: never): { readonly transaction: infer T } }
      ? T
      : never,
  ) => unknown;
  close(): Promise<void>;
}
