import { MistakeError } from "../mistake.ts";
import { isError } from "../runtime.ts";
import { closeSync, existsSync, openSync, realpathSync, statSync } from "node:fs";
import { resolve as resolvePath } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";

/** Calls that share one COMMIT; bounds how long the first of them waits for the others. */
const MAX_GROUP = 256;
const SQLITE_BUSY = 5;
const PAUSE_MS = 5;

interface Call {
  readonly run: () => unknown;
  readonly together: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A SQLite file in WAL mode with `synchronous=FULL`. Calls of one turn of the event loop share a
 * transaction, and so its flush to disk; one that fails takes back only its own writes. No call
 * resolves before COMMIT, and a COMMIT that fails rejects all of them, as does one into files that are
 * no longer where a restart would look for them.
 */
export class SqliteFile {
  readonly database: DatabaseSync;
  /** The database and its log, with device and inode: SQLite goes on writing into files that were removed. */
  readonly #files: ReadonlyMap<string, string>;
  readonly #prepared = new Map<string, StatementSync>();
  #waiting: Call[] = [];
  #scheduled = false;

  /**
   * @param prepare Runs once, in a transaction: of several processes the first one creates the tables.
   * @throws {Error} the file cannot be opened, or stays locked for `busyMs`.
   */
  constructor(path: string, busyMs: number, prepare: (file: DatabaseSync) => void) {
    const file = resolvePath(path);
    this.database = openWal(file, busyMs);
    try {
      this.database.exec("BEGIN IMMEDIATE");
      prepare(this.database);
      this.database.exec("COMMIT");
      const files = [file, `${realpathSync(file)}-wal`];
      this.#files = new Map(files.map((name) => [name, identityOf(name)]));
      this.#requireFiles();
    } catch (error) {
      this.database.close();
      throw error;
    }
  }

  /**
   * Runs statements in the next group.
   *
   * @param together True if all of them are undone when `run` throws. SQLite undoes one statement by itself.
   */
  run<T>(run: () => T, together = false): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (!this.database.isOpen) throw new Error("the inbox is closed");
      // `value` is what this very `run` returned.
      const done = (value: unknown): void => resolve(value as T);
      this.#waiting.push({ run, together, resolve: done, reject });
      this.#schedule();
    });
  }

  /** Returns the rows of a statement, which is prepared once: parsed each time it would cost more than it does. */
  all(
    sql: string,
    values: readonly (string | number | null)[] = [],
  ): ReturnType<StatementSync["all"]> {
    const known = this.#prepared.get(sql);
    const statement = known ?? this.database.prepare(sql.replaceAll(/\$(\d+)/g, "?$1"));
    if (known === undefined) this.#prepared.set(sql, statement);
    // Node's array may be of another realm than the app's, as in Jest.
    return Array.from(statement.all(...values));
  }

  /** Commits the waiting calls and closes the file. */
  close(): void {
    while (this.#waiting.length > 0) this.#commit(this.#waiting.splice(0, MAX_GROUP));
    if (this.database.isOpen) this.database.close();
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return;
    this.#scheduled = true;
    // After the sockets of this turn were read: their calls join the group.
    setImmediate(() => {
      this.#scheduled = false;
      this.#commit(this.#waiting.splice(0, MAX_GROUP));
      this.#schedule();
    });
  }

  #commit(group: readonly Call[]): void {
    if (group.length === 0) return;
    try {
      this.all("BEGIN IMMEDIATE");
      const ends = group.map((call) => this.#runOne(call));
      this.all("COMMIT");
      this.#requireFiles();
      for (const end of ends) end();
    } catch (error) {
      try {
        if (this.database.isTransaction) this.database.exec("ROLLBACK");
      } catch {
        // The next BEGIN meets the same broken file, fails too, and its callers see why.
      }
      // Calls that succeeded are rejected too, since their writes are not durable.
      for (const { reject } of group) reject(error);
    }
  }

  /** Runs a call. @returns How it ends once the group is durable. */
  #runOne({ run, together, resolve, reject }: Call): () => void {
    if (together) this.all("SAVEPOINT one_call");
    try {
      const value = run();
      if (together) this.all("RELEASE one_call");
      return () => resolve(value);
    } catch (error) {
      // A full or failing disk ends the whole transaction, and so does a COMMIT of `run`'s own.
      if (!this.database.isTransaction) throw error;
      if (together) this.database.exec("ROLLBACK TO one_call; RELEASE one_call");
      return () => reject(error);
    }
  }

  /** @throws {Error} nobody would find what was committed. */
  #requireFiles(): void {
    for (const [name, identity] of this.#files) {
      if (identityOf(name) === identity && identity !== "") continue;
      throw new Error(
        `the database file ${name} was removed or replaced while the app ran; restart the app`,
      );
    }
  }
}

/**
 * Changing a new file's mode takes its whole lock at once, and SQLite does not wait for that: of two
 * processes that start together one would fail. It is tried again until `busyMs` have passed.
 */
export function openWal(path: string, busyMs: number): DatabaseSync {
  // A new file is its owner's only, and SQLite gives its other files the same mode: they hold signed events.
  // Closing an existing one would drop the locks of this process's other connections to it.
  if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
  const database = new DatabaseSync(path, { timeout: busyMs });
  requireParameters(database);
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

/** @throws {MistakeError} Node.js is too old: each event would fail, because `node:sqlite` binds no numbered parameter. */
function requireParameters(database: DatabaseSync): void {
  try {
    database.prepare("SELECT ?1").get(1);
  } catch {
    database.close();
    throw new MistakeError(
      `sqliteInbox: Node.js ${process.versions.node} is too old for it; use 22.20, 24.8 or later, or another inbox`,
    );
  }
}

/** Extended codes keep the plain one in their lowest byte. */
const isBusy = (error: unknown): boolean =>
  isError(error) &&
  "errcode" in error &&
  typeof error.errcode === "number" &&
  (error.errcode & 0xff) === SQLITE_BUSY;

/** Returns a file's device and inode; '' if it is missing. */
function identityOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? "" : `${String(stat.dev)} ${String(stat.ino)}`;
}
