import { closeSync, fchmodSync, openSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { StoreUnavailableError, type SqlValue } from "../driver.ts";

/** Statements kept prepared on one connection; those with lists of values have many lengths. */
const MAX_PREPARED = 256;
/** Page cache of a connection in KiB: the inner index pages of a million deliveries. */
const CACHE_KIB = 16_000;

/** One connection to a SQLite file that speaks the shared dialect of SQL. */
export class SqliteConnection {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  #flushes = true;

  /** @param file Path of the database. A reader needs an existing file. */
  constructor(file: string, { readOnly, busyMs }: { readOnly: boolean; busyMs: number }) {
    this.#database = readOnly
      ? new DatabaseSync(file, { readOnly, timeout: busyMs })
      : openWal(file, { busyMs });
    this.#database.exec(`PRAGMA foreign_keys = ON; PRAGMA cache_size = -${CACHE_KIB}`);
  }

  /** True if a transaction is open. SQLite ends it when the disk is full or fails. */
  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: the file is at fault, not the statement. */
  run(sql: string, params: readonly SqlValue[] = []): Record<string, unknown>[] {
    try {
      return this.#prepare(sql).all(...params);
    } catch (error) {
      throw UNAVAILABLE.has(resultCodeOf(error)) ? unavailable(error) : error;
    }
  }

  /** Runs a statement without parameters or rows, such as BEGIN, SAVEPOINT and COMMIT. */
  exec(sql: string): void {
    // Prepared once, since each call of a group runs the same ones.
    this.#prepare(sql).run();
  }

  /** Decides if the next COMMIT waits for the disk: milliseconds in which this process does nothing else. */
  flushes(flushes: boolean): void {
    if (flushes === this.#flushes) return;
    // A prepared PRAGMA would only run once.
    this.#database.exec(`PRAGMA synchronous = ${flushes ? "FULL" : "NORMAL"}`);
    this.#flushes = flushes;
  }

  close(): void {
    this.#prepared.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(toSqlite(sql));
    const [oldest] = this.#prepared.keys();
    if (oldest !== undefined && this.#prepared.size >= MAX_PREPARED) this.#prepared.delete(oldest);
    this.#prepared.set(sql, statement);
    return statement;
  }
}

/** Translates parameters (no literal may contain `$1`), and drops row locks, which one writer does not need. */
function toSqlite(sql: string): string {
  return sql
    .replaceAll(/\$(\d+)/g, "?$1")
    .replaceAll(/\bFOR (?:UPDATE|KEY SHARE)(?: SKIP LOCKED)?\b/g, "");
}

const SQLITE_BUSY = 5;
/** Busy, locked, memory, read-only, I/O error, corrupt, full, cannot open, locking protocol, not a database. */
const UNAVAILABLE: ReadonlySet<number> = new Set([SQLITE_BUSY, 6, 7, 8, 10, 11, 13, 14, 15, 26]);

function openWal(path: string, { busyMs }: { readonly busyMs: number }): DatabaseSync {
  createPrivately(path);
  const database = new DatabaseSync(path, { timeout: busyMs });
  try {
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Creates a missing database file that only its user can read and write, whatever the umask. SQLite gives
 * its `-wal` and `-shm` files the same mode. The mode of an existing file is its owner's choice.
 */
export function createPrivately(path: string): void {
  // SQLite reads such a path as a URI; its parameters say how to open it.
  if (path.startsWith("file:")) return;
  try {
    const file = openSync(path, "ax", 0o600);
    try {
      // The umask may have taken bits away.
      fchmodSync(file, 0o600);
    } finally {
      closeSync(file);
    }
  } catch {
    // It exists, or cannot be created: opening it says which.
  }
}

/** The lowest byte of an extended result code; 0 if the error is not SQLite's. */
const resultCodeOf = (error: unknown): number =>
  error instanceof Error && "errcode" in error && typeof error.errcode === "number"
    ? error.errcode & 0xff
    : 0;

export const isBusy = (error: unknown): boolean => resultCodeOf(error) === SQLITE_BUSY;

export function unavailable(cause: unknown): StoreUnavailableError {
  if (cause instanceof StoreUnavailableError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new StoreUnavailableError(`the database cannot be used: ${reason}`, { cause });
}
