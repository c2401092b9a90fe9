import { MistakeError } from "../mistake.ts";
import type { DatabaseSync } from "node:sqlite";
import { Bodies } from "./bodies.ts";
import type {
  BeginRequest,
  Commit,
  EventKey,
  InboxQueue,
  StoredBodies,
  TransactionalInbox,
} from "./inbox.ts";
import {
  endOf,
  type EventRow,
  type Guard,
  heldByBytes,
  rowsInbox,
  textOfName,
  type Update,
  type Written,
} from "./rows-inbox.ts";
import {
  COLUMNS,
  eventIndexes,
  type EventSql,
  eventSql,
  type EventSqlOptions,
  KEY,
  requireColumns,
} from "./sql.ts";
import { sqlQueue } from "./sql-queue.ts";
import {
  heldValues,
  keyValues,
  rowOf,
  type SqlRow,
  SqlRows,
  type SqlValue,
  updateValues,
  valuesOf,
} from "./sql-rows.ts";
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
  const options: SqliteInboxOptions = typeof file === "string" ? { path: file } : file;
  const { path, busyMs = 5000 } = options;
  if (typeof path !== "string" || path === "" || path.includes(":memory:"))
    throw new MistakeError("sqliteInbox: expected the path of a file; memoryInbox() is in memory");
  const bodies = new Bodies("sqliteInbox", options);
  const events = new SqliteFile(path, {
    busyMs,
    prepare: (database) => createTable(database, path),
  });
  const rows = new SqliteRows(events, { keepsBodies: bodies.retentionMs > 0 });
  return {
    ...rowsInbox(rows),
    queue: sqlQueue(rows, bodies),
    begin: (claim) => begin(events, rows.sql, claim),
    close: () => events.close(),
  };
}

const EVENTS = "countersign_events";
const NAMES = Object.keys(COLUMNS);
const INSERT = `INSERT INTO ${EVENTS} (${NAMES.join(", ")})
  VALUES (${NAMES.map((_, index) => `$${String(index + 1)}`).join(", ")})
  ON CONFLICT (${KEY}) DO NOTHING RETURNING id`;
const REVIVE = `UPDATE ${EVENTS} SET state = 'waiting', attempts = 0, due_at = 0, reason = NULL, changed_at = $4,
  sequence = (SELECT max(sequence) + 1 FROM ${EVENTS})
  WHERE provider = $1 AND tenant = $2 AND id = $3 AND state = 'dead' RETURNING id`;

/**
 * Creates the inbox's table if it is missing, in the merchant's own file or a separate one.
 *
 * @throws {Error} it was created by another version.
 */
function createTable(database: DatabaseSync, path: string): void {
  const found = database.prepare(`PRAGMA table_info(${EVENTS})`).all();
  if (found.length > 0) {
    const table = `${EVENTS} of ${path}`;
    const names = found.map(({ name }) => name);
    return requireColumns(names, { inbox: "sqliteInbox", table, place: "file" });
  }
  const types = Object.entries(COLUMNS).map(([name, type]) => `${name} ${type}`);
  const columns = types.map((column) =>
    column.replace("bigint", "INTEGER").replace("double precision", "REAL"),
  );
  database.exec(
    `CREATE TABLE ${EVENTS} (sequence INTEGER PRIMARY KEY, ${columns.join(", ")}, UNIQUE (${KEY})) STRICT`,
  );
  for (const index of eventIndexes(EVENTS, EVENTS)) database.exec(index);
}

class SqliteRows extends SqlRows {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile, options: EventSqlOptions) {
    super(eventSql(EVENTS, options));
    this.#file = file;
  }

  insert(row: EventRow, guard: Guard): Promise<Written> {
    const { key, state: to, seenAt: now } = row;
    return this.#write(INSERT, valuesOf(row), { ...guard, key, to, now });
  }

  update(update: Update): Promise<Written> {
    return this.#write(this.sql.update, updateValues(update), update);
  }

  async revive(key: EventKey, now: number): Promise<boolean> {
    return (await this.rows(REVIVE, [...keyValues(key), now])).length === 1;
  }

  rows(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return this.#file.run(() => this.#all(sql, values));
  }

  #all(sql: string, values: readonly SqlValue[]): readonly SqlRow[] {
    // The columns are those of the statements.
    return this.#file.all(sql, values) as readonly SqlRow[];
  }

  /** Nobody else writes during the call: what it reads of other events is true when it writes. */
  #write(
    sql: string,
    values: readonly SqlValue[],
    { key, to, now, resource, refused }: Guard & Pick<Update, "key" | "to" | "now">,
  ): Promise<Written> {
    return this.#file.run(() => {
      if (refused !== undefined) {
        const bytes = [textOfName(key, refused), key.id, now];
        const [other] = this.#all(this.sql.withBytes, bytes);
        const held = heldByBytes(other && rowOf(other), now);
        if (held !== undefined) return held;
      }
      if (to.at === "claimed" && resource !== undefined) {
        const [held] = this.#all(this.sql.heldUntil, heldValues(key, resource, now));
        if (held?.["until"] != null) return { heldUntil: Number(held["until"]) };
      }
      return this.#all(sql, values).length === 1 ? "done" : "changed";
    });
  }
}

function begin(
  file: SqliteFile,
  sql: EventSql,
  { key, token }: BeginRequest,
): ReturnType<SqliteInbox["begin"]> {
  let write: ((database: DatabaseSync) => unknown) | undefined;
  let open = true;

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
          const update = endOf({ key, token, now }, { type: "succeed", token });
          if (file.all(sql.update, updateValues(update)).length === 0) return false;
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
