import type { DatabaseSync } from "node:sqlite";
import { transition } from "./event-state.ts";
import type { BeginRequest, Commit, EventKey, InboxQueue, TransactionalInbox } from "./inbox.ts";
import {
  claimedBy,
  type EventRow,
  rowsInbox,
  rowsQueue,
  type Update,
  type Written,
} from "./rows-inbox.ts";
import { COLUMNS, eventIndexes, eventSql } from "./sql.ts";
import { type SqlRow, SqlRows, type SqlValue, textOf, updateValues, valuesOf } from "./sql-rows.ts";
import { SqliteFile } from "./sqlite-file.ts";

/**
 * A handler's `context.transaction`: it takes one synchronous function, which runs after
 * the handler has succeeded, in the transaction that also records the event as handled.
 *
 * @throws {TypeError} a second function, or one that is passed after the handler has ended.
 */
export type SqliteTransaction = (write: (database: DatabaseSync) => void) => void;

export interface SqliteInboxOptions {
  /** Path of the database's file, created if missing; your own tables may be in it. One file per service. */
  readonly path: string;
  /** Time that a call waits for another process's transaction, in milliseconds; it blocks the process. Default 5000. */
  readonly busyMs?: number;
}

export interface SqliteInbox extends TransactionalInbox<SqliteTransaction> {
  readonly queue: InboxQueue;
  /** Commits the calls that wait and closes the file. */
  close(): void;
}

/**
 * An inbox in a SQLite file by `node:sqlite`: WAL, `synchronous=FULL`, group commit. Several
 * processes of one service on one machine share it; it must not be on a network file system.
 *
 * @throws {TypeError} no path, or a database in memory, which would not be durable.
 * @throws {Error} the file cannot be opened.
 */
export function sqliteInbox(file: string | SqliteInboxOptions): SqliteInbox {
  const { path, busyMs = 5000 } = typeof file === "string" ? { path: file } : file;
  if (typeof path !== "string" || path === "" || path.includes(":memory:"))
    throw new TypeError("sqliteInbox: expected the path of a file; memoryInbox() is in memory");
  const events = new SqliteFile(path, {
    busyMs,
    prepare: (database) => createTable(database, path),
  });
  const rows = new SqliteRows(events);
  return {
    ...rowsInbox(rows),
    queue: rowsQueue(rows),
    begin: (claim) => begin(events, claim),
    close: () => events.close(),
  };
}

const EVENTS = "countersign_events";
const SQL = eventSql(EVENTS);
const INSERT = `INSERT INTO ${EVENTS} (${SQL.names})
  VALUES (${SQL.names
    .split(", ")
    .map((_, index) => `$${String(index + 1)}`)
    .join(", ")})
  ON CONFLICT (tenant, id) DO NOTHING RETURNING id`;
const REVIVE = `UPDATE ${EVENTS} SET state = 'waiting', attempts = 0, due_at = 0, reason = NULL, changed_at = $3,
  sequence = (SELECT max(sequence) + 1 FROM ${EVENTS})
  WHERE tenant = $1 AND id = $2 AND state = 'dead' RETURNING id`;

/**
 * Creates the inbox's table if it is missing, in the merchant's own file or a separate one.
 *
 * @throws {Error} it was created by another version.
 */
function createTable(database: DatabaseSync, path: string): void {
  const found = new Set(
    database
      .prepare(`PRAGMA table_info(${EVENTS})`)
      .all()
      .map(({ name }) => name),
  );
  if (found.size > 0) return requireColumns(found, path);
  const types = Object.entries(COLUMNS).map(([name, type]) => `${name} ${type}`);
  const columns = types.map((column) =>
    column.replace("bigint", "INTEGER").replace("double precision", "REAL"),
  );
  database.exec(
    `CREATE TABLE ${EVENTS} (sequence INTEGER PRIMARY KEY, ${columns.join(", ")}, UNIQUE (tenant, id)) STRICT`,
  );
  for (const index of eventIndexes(EVENTS, EVENTS)) database.exec(index);
}

function requireColumns(found: ReadonlySet<unknown>, path: string): void {
  const expected = new Set<unknown>(["sequence", ...Object.keys(COLUMNS)]);
  const missing = [...expected].filter((name) => !found.has(name));
  const unknown = [...found].filter((name) => !expected.has(name));
  if (missing.length + unknown.length > 0)
    throw new Error(
      `sqliteInbox: ${path} has the table ${EVENTS} of another version (missing: ${missing.join(", ") || "none"}; ` +
        `unknown: ${unknown.join(", ") || "none"}); use that version of @countersign/receiver, or a new file`,
    );
}

class SqliteRows extends SqlRows {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    super(SQL);
    this.#file = file;
  }

  insert(row: EventRow, now: number): Promise<Written> {
    const { key, state, resource } = row;
    return this.#write(INSERT, valuesOf(row, now), {
      key,
      to: state,
      now,
      resource: resource?.name,
    });
  }

  update(update: Update): Promise<Written> {
    return this.#write(SQL.update, updateValues(update), update);
  }

  async revive({ tenant, id }: EventKey, now: number): Promise<boolean> {
    return (await this.rows(REVIVE, [tenant, id, now])).length === 1;
  }

  protected rows(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return this.#file.run(() => this.#all(sql, values));
  }

  #all(sql: string, values: readonly SqlValue[]): readonly SqlRow[] {
    // The columns are those of the statements.
    return this.#file.all(sql, values) as readonly SqlRow[];
  }

  /** Nobody else writes during the call: what it reads of the resource is true when it writes. */
  #write(
    sql: string,
    values: readonly SqlValue[],
    { key, to, now, resource }: Pick<Update, "key" | "to" | "now" | "resource">,
  ): Promise<Written> {
    return this.#file.run(() => {
      if (to.at === "claimed" && resource !== undefined) {
        const [held] = this.#all(SQL.heldUntil, [key.tenant, textOf(resource), key.id, now]);
        if (held?.["until"] != null) return { heldUntil: Number(held["until"]) };
      }
      return this.#all(sql, values).length === 1 ? "done" : "changed";
    });
  }
}

function begin(file: SqliteFile, { key, token }: BeginRequest): ReturnType<SqliteInbox["begin"]> {
  let write: ((database: DatabaseSync) => unknown) | undefined;
  let open = true;
  const claimed = claimedBy({ token }, 0);
  const to = transition(claimed, { type: "succeed", token }) ?? claimed;

  return {
    transaction: (given) => {
      if (!open) throw new TypeError("context.transaction: the handler has ended already");
      if (write !== undefined)
        throw new TypeError("context.transaction: one function per event; join the writes in it");
      write = given;
    },
    async commit(now): Promise<Commit> {
      open = false;
      let failure: { readonly error: unknown } | undefined;
      try {
        const written = await file.runTogether(() => {
          failure = undefined;
          // First, so that nothing is written for a claim that was lost.
          const update = { key, from: claimed, to, now };
          if (file.all(SQL.update, updateValues(update)).length === 0) return false;
          try {
            if (write !== undefined) requireEnded(write(file.database), file.database);
          } catch (error) {
            failure = { error };
            throw error;
          }
          return true;
        });
        return { state: written ? "committed" : "lost" };
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
function requireEnded(value: unknown, database: DatabaseSync): void {
  if (typeof value === "object" && value !== null && "then" in value) {
    // Its rejection is ignored: the error below is the one that counts.
    Promise.resolve(value).catch(() => undefined);
    throw new TypeError(
      "context.transaction: the function must be synchronous, but it returned a promise; await before it",
    );
  }
  if (!database.isTransaction)
    throw new TypeError("context.transaction: the function must not end the transaction itself");
}
