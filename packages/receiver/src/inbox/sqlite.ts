import { MistakeError } from "../mistake.ts";
import type { DatabaseSync } from "node:sqlite";
import { Bodies } from "./bodies.ts";
import type { InboxQueue, StoredBodies } from "./inbox.ts";
import type { BeginRequest, Commit, TransactionalInbox } from "./transaction.ts";
import {
  endOf,
  type EventRow,
  type Guard,
  rowsInbox,
  type Update,
  type Written,
} from "./rows-inbox.ts";
import {
  changes,
  COLUMNS,
  eventIndexes,
  IS_KEY,
  KEY,
  NAMES,
  requireColumns,
  UPDATED,
} from "./sql.ts";
import { sqlQueue } from "./sql-queue.ts";
import { type SqlRow, SqlRows, type SqlValue, updatedRow } from "./sql-rows.ts";
import { SqliteFile } from "./sqlite-file.ts";

/**
 * A handler's `context.transaction`: it takes one synchronous function, which runs after
 * the handler has succeeded, in the transaction that also records the event as handled.
 *
 * @throws {TypeError} a second function, or one that is passed after the handler has ended.
 */
export type SqliteTransaction = (write: (database: DatabaseSync) => void) => void;

export interface SqliteInboxOptions extends StoredBodies {
  /** Path of the database's file, created if missing; your own tables may be in it. One file per service. */
  readonly path: string;
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
 * @throws {TypeError} no path, a database in memory, which would not be durable, or a Node.js that is too old.
 * @throws {Error} the file cannot be opened.
 */
export function sqliteInbox(given: string | SqliteInboxOptions): SqliteInbox {
  const options: SqliteInboxOptions = typeof given === "string" ? { path: given } : given;
  const { path } = options;
  if (typeof path !== "string" || path === "" || path.includes(":memory:"))
    throw new MistakeError("sqliteInbox: expected the path of a file; memoryInbox() is in memory");
  const bodies = new Bodies("sqliteInbox", options);
  const file = new SqliteFile(path, BUSY_MS, (database) => createTable(database, path));
  const rows = new SqliteRows(file, bodies.retentionMs > 0);
  return {
    ...rowsInbox(rows),
    ...sqlQueue(rows, bodies),
    begin: (claim) => begin(file, rows, claim),
    close: () => file.close(),
  };
}

const EVENTS = "countersign_events";
/** Time that a call waits for another process's transaction; it blocks the process. */
const BUSY_MS = 5000;

/**
 * Creates the inbox's table if it is missing, in the merchant's own file or a separate one.
 *
 * @throws {Error} it was created by another version.
 */
function createTable(database: DatabaseSync, path: string): void {
  const found = database.prepare(`PRAGMA table_info(${EVENTS})`).all();
  if (found.length > 0) {
    const names = found.map(({ name }) => name);
    return requireColumns(names, `${EVENTS} of ${path}`, "file");
  }
  const columns = Object.entries(COLUMNS).map(([name, type]) =>
    `${name} ${type}`.replace("bigint", "INTEGER").replace("double precision", "REAL"),
  );
  database.exec(
    `CREATE TABLE ${EVENTS} (sequence INTEGER PRIMARY KEY, ${columns.join(", ")}, UNIQUE (${KEY})) STRICT`,
  );
  for (const index of eventIndexes(EVENTS, EVENTS)) database.exec(index);
}

const INSERT = `INSERT INTO ${EVENTS} (${NAMES.join(", ")})
  VALUES (${NAMES.map((_, index) => `$${String(index + 1)}`).join(", ")})
  ON CONFLICT (${KEY}) DO NOTHING RETURNING id`;

class SqliteRows extends SqlRows {
  readonly #file: SqliteFile;
  readonly #updateSql: string;

  constructor(file: SqliteFile, keepsBodies: boolean) {
    super({
      events: EVENTS,
      skipLocked: "",
      elements: "SELECT value FROM json_each($3)",
      nextSequence: `(SELECT max(sequence) + 1 FROM ${EVENTS})`,
      lockedResource: "",
    });
    this.#file = file;
    const value = (name: string): string => `$${String(UPDATED.indexOf(name) + 1)}`;
    this.#updateSql = `UPDATE ${EVENTS} AS e SET ${changes(value, keepsBodies)}
      WHERE ${IS_KEY} AND state = $4 AND token = $5 RETURNING id`;
  }

  insert(row: EventRow, guard: Guard): Promise<Written> {
    const values = NAMES.map((name) => row[name]);
    const update = { key: row, to: row, now: row.stored_at, guard };
    return this.#file.run(() =>
      this.#guarded(() => this.#all(INSERT, values).length === 1, update),
    );
  }

  update(update: Update): Promise<Written> {
    return this.#file.run(() => this.#guarded(() => this.updateNow(update), update));
  }

  /** Writes an update in the transaction that is open. */
  updateNow(update: Update): boolean {
    return this.#all(this.#updateSql, Object.values(updatedRow(update))).length === 1;
  }

  rows(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return this.#file.run(() => this.#all(sql, values));
  }

  #all(sql: string, values: readonly SqlValue[]): readonly SqlRow[] {
    // The columns are those of the statements.
    return this.#file.all(sql, values) as unknown as readonly SqlRow[];
  }

  /** Nobody else writes during the call: what it reads of other events is true when it writes. */
  #guarded(write: () => boolean, update: Omit<Update, "from">): Written {
    const values = this.heldValues(update);
    const held = values === undefined ? [] : this.#all(this.heldSql, values);
    return this.heldIn(held, update) ?? (write() ? "done" : "changed");
  }
}

function begin(
  file: SqliteFile,
  rows: SqliteRows,
  { key, token }: BeginRequest,
): ReturnType<SqliteInbox["begin"]> {
  let write: ((database: DatabaseSync) => unknown) | undefined;
  let open = true;
  return {
    transaction(given) {
      if (!open) throw new TypeError("context.transaction: the handler has ended already");
      if (write !== undefined)
        throw new TypeError("context.transaction: one function per event; join the writes in it");
      write = given;
    },
    async commit(now): Promise<Commit> {
      open = false;
      let failed: Commit | undefined;
      const run = (): Commit => {
        // First, so that nothing is written for a claim that was lost.
        const update = endOf({ key, token, now }, { type: "succeed", token });
        if (!rows.updateNow(update)) return { state: "lost" };
        try {
          if (write !== undefined) requireEnded(write(file.database), file.database);
        } catch (error) {
          failed = { state: "failed", error };
          throw error;
        }
        return { state: "committed" };
      };
      return file.run(run, true).catch((error: unknown) => {
        if (failed === undefined) throw error;
        return failed;
      });
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
