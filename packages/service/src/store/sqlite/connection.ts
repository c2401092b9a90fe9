import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { SqlValue } from "../driver.ts";

/** Statements kept prepared on one connection; texts with a list of values come in many lengths. */
const MAX_PREPARED = 256;
/** Pages of the file that a connection keeps, in KiB: those of the indexes of a million deliveries, but for their leaves. */
const CACHE_KIB = 16_000;

/** One connection to a SQLite file that speaks the shared dialect of SQL. */
export class SqliteConnection {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  /** @param file Path of the database; a reader opens what a writer has made. */
  constructor(file: string, { readOnly, busyMs }: { readOnly: boolean; busyMs: number }) {
    this.#database = readOnly
      ? new DatabaseSync(file, { readOnly, timeout: busyMs })
      : openWal(file, { busyMs });
    this.#database.exec(`PRAGMA foreign_keys = ON; PRAGMA cache_size = -${CACHE_KIB}`);
  }

  /** Whether a transaction is open. SQLite ends one by itself when the disk is full or fails. */
  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  run(sql: string, params: readonly SqlValue[] = []): Record<string, unknown>[] {
    return this.#prepare(sql).all(...params);
  }

  /** Statements without parameters or rows: BEGIN, SAVEPOINT, COMMIT and their like. */
  exec(sql: string): void {
    // Prepared: as texts they would be read anew for each call of a group.
    this.#prepare(sql).run();
  }

  close(): void {
    this.#prepared.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(toSqlite(sql));
    for (const oldest of this.#prepared.keys()) {
      if (this.#prepared.size < MAX_PREPARED) break;
      this.#prepared.delete(oldest);
    }
    this.#prepared.set(sql, statement);
    return statement;
  }
}

/**
 * The only two differences between the dialects: how a parameter is written, and row locks, which
 * SQLite does not need since it has one writer. No text holds `$1` inside a literal.
 */
function toSqlite(sql: string): string {
  return sql
    .replaceAll(/\$(\d+)/g, "?$1")
    .replaceAll(/\bFOR (?:UPDATE|KEY SHARE)(?: SKIP LOCKED)?\b/g, "");
}

const SQLITE_BUSY = 5;
const PAUSE_MS = 5;

/**
 * Opens a SQLite file in WAL mode with `synchronous=FULL`.
 *
 * Changing a new file's mode takes its whole lock at once, and SQLite does not wait for that: of two
 * processes that start together one would fail. It is tried again until `busyMs` have passed.
 *
 * @throws {Error} the file cannot be opened, or stays locked.
 */
function openWal(path: string, { busyMs }: { readonly busyMs: number }): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: busyMs });
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; ; waited += PAUSE_MS) {
    try {
      database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
      return database;
    } catch (error) {
      if (!isBusy(error) || waited >= busyMs) {
        database.close();
        throw error;
      }
      Atomics.wait(pause, 0, 0, PAUSE_MS);
    }
  }
}

/** Extended codes keep the plain one in their lowest byte. */
const isBusy = (error: unknown): boolean =>
  error instanceof Error &&
  "errcode" in error &&
  typeof error.errcode === "number" &&
  (error.errcode & 0xff) === SQLITE_BUSY;
