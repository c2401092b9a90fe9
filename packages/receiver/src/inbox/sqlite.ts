import type { DatabaseSync } from "node:sqlite";
import { transition } from "./event-state.ts";
import type { BeginRequest, Commit, InboxQueue, TransactionalInbox } from "./inbox.ts";
import { rowsInbox } from "./rows-inbox.ts";
import { SqliteGroup } from "./sqlite-group.ts";
import { createTable, SqliteRows } from "./sqlite-rows.ts";

/**
 * What a handler gets as `context.transaction`: it takes one synchronous function, which runs after
 * the handler has succeeded, in the transaction that also records the event as handled.
 *
 * @throws {TypeError} a second function, or one that comes after the handler has settled.
 */
export type SqliteTransaction = (write: (database: DatabaseSync) => void) => void;

export interface SqliteInboxOptions {
  /** Path of the database's file, made if missing; the merchant's own tables may be in it. */
  readonly path: string;
  /** How long a call waits for another process's transaction, in milliseconds; the process stands meanwhile. Default 5000. */
  readonly busyMs?: number;
}

export interface SqliteInbox extends TransactionalInbox<SqliteTransaction> {
  readonly durable: true;
  readonly queue: InboxQueue;
  /** Commits what is under way and closes the file. */
  close(): void;
}

/**
 * An inbox in a SQLite file by `node:sqlite`: WAL, `synchronous=FULL`, group commit. Several
 * processes of one machine share it; a network's file system is no place for it.
 *
 * @throws {TypeError} no path, or a database in memory, which would not be durable.
 * @throws {Error} the file cannot be opened.
 */
export function sqliteInbox(file: string | SqliteInboxOptions): SqliteInbox {
  const { path, busyMs = 5000 } = typeof file === "string" ? { path: file } : file;
  if (typeof path !== "string" || path === "" || path.includes(":memory:"))
    throw new TypeError("sqliteInbox: the path of a file is needed; memoryInbox() is in memory");
  const group = new SqliteGroup(path, { busyMs, prepare: createTable });
  const rows = new SqliteRows(group);
  return {
    ...rowsInbox(rows, { durable: true }),
    durable: true,
    begin: (claim) => begin(group, rows, claim),
    close: () => group.close(),
  };
}

function begin(
  group: SqliteGroup,
  rows: SqliteRows,
  { key, token }: BeginRequest,
): ReturnType<SqliteInbox["begin"]> {
  let write: ((database: DatabaseSync) => unknown) | undefined;
  let open = true;
  const claimed = { at: "claimed", token, attempts: 0, leaseEndsAt: 0 } as const;
  const handled = transition(claimed, { type: "succeed", token }) ?? claimed;

  return {
    transaction: (given) => {
      if (!open) throw new TypeError("context.transaction: the handler has settled already");
      if (write !== undefined)
        throw new TypeError("context.transaction: one function an event; join the writes in it");
      write = given;
    },
    async commit(now): Promise<Commit> {
      open = false;
      let failure: { readonly error: unknown } | undefined;
      try {
        const written = await group.runTogether((database) => {
          failure = undefined;
          // First, so that nothing is written for a claim that was lost.
          const done = rows.updateIn(database, { key, guard: claimed, state: handled, now });
          if (done !== "done") return done;
          try {
            refuseOpenEnded(write?.(database), database);
          } catch (error) {
            failure = { error };
            throw error;
          }
          return done;
        });
        return { state: written === "done" ? "committed" : "lost" };
      } catch (error) {
        if (failure !== undefined) return { state: "failed", error: failure.error };
        throw error;
      }
    },
    rollback() {
      open = false;
      return Promise.resolve();
    },
  };
}

/** A write transaction that is open across an `await` would stall every other event of the process. */
function refuseOpenEnded(value: unknown, database: DatabaseSync): void {
  if (typeof value === "object" && value !== null && "then" in value) {
    // Its rejection is nobody's: the refusal below is what is told.
    Promise.resolve(value).catch(() => undefined);
    throw new TypeError(
      "context.transaction: the function must be synchronous, and it returned a promise; await before it",
    );
  }
  if (!database.isTransaction)
    throw new TypeError("context.transaction: the function must not end the transaction itself");
}
