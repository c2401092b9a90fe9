import {
  StoreUnavailableError,
  textOf,
  type Driver,
  type Queryable,
  type Sql,
  type SqlValue,
  type Vitals,
  withHooks,
} from "../driver.ts";
import { SqliteConnection, unavailable } from "./connection.ts";
import { DatabaseFile } from "./file.ts";
import { FileLock } from "./file-lock.ts";

export interface SqliteOptions {
  /** Maximum wait of BEGIN for another program's transaction, in milliseconds. Default 5000. */
  readonly busyMs?: number;
}

/** Size of the WAL in bytes from which on `vitals` tries to empty it. */
const WAL_BYTES = 16 * 2 ** 20;

/** Calls that share one COMMIT; bounds how long the first one waits for the others. */
const MAX_GROUP = 256;

interface Call {
  readonly run: (tx: Queryable) => Promise<unknown>;
  /** Called once, after COMMIT or its failure. */
  readonly settle: (outcome: Outcome) => void;
}
type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: unknown };

/**
 * A SQLite file through `node:sqlite`: WAL, `synchronous=FULL`, group commit.
 *
 * Transactions requested in one turn of the event loop share one BEGIN IMMEDIATE, one COMMIT and its flush to
 * disk. They run one after the other, each in its own SAVEPOINT, so that a failure undoes only its own
 * writes. Reads outside a transaction use a second, read-only connection and never see uncommitted rows.
 *
 * One driver at a time may have the file. Other programs, such as a backup, may read it.
 *
 * @param file Path of the database file, created if missing.
 * @throws {StoreInUseError} `CS_STORE_IN_USE`: another process has the file.
 * @throws {TypeError} `file` is empty or an in-memory database, which two connections cannot share.
 */
export function sqliteDriver(file: string, options: SqliteOptions = {}): Driver {
  if (file === "" || file.includes(":memory:")) {
    throw new TypeError(
      'invalid "file": expected a path, since two connections cannot share a database in memory',
    );
  }
  return new SqliteDriver(file, options);
}

class SqliteDriver implements Driver {
  readonly #writer: SqliteConnection;
  readonly #reader: SqliteConnection;
  readonly #waiting: Call[] = [];
  /** Resolves when no call waits. */
  #draining: Promise<void> | undefined;
  #closed = false;
  readonly #file: DatabaseFile;
  readonly #lock: FileLock;
  readonly isAlone = true;

  constructor(file: string, { busyMs = 5000 }: SqliteOptions) {
    this.#lock = new FileLock(file);
    try {
      this.#writer = new SqliteConnection(file, { readOnly: false, busyMs });
      this.#reader = new SqliteConnection(file, { readOnly: true, busyMs });
    } catch (error) {
      this.#lock.release();
      throw error;
    }
    this.#file = new DatabaseFile(file);
  }

  // Async although SQLite is not: a failing statement must reject, as it does on a server.
  async query<Row>(sql: Sql, params: readonly SqlValue[] = []): Promise<Row[]> {
    this.#refuseIfClosed();
    // The caller's claim about its own text, as `Queryable` says.
    return this.#reader.run(textOf(sql, "sqlite"), params) as Row[];
  }

  transaction<T>(run: (tx: Queryable) => Promise<T>): Promise<T> {
    return withHooks(run, (hooked) => this.#transact(hooked));
  }

  async #transact<T>(run: (tx: Queryable) => Promise<T>): Promise<T> {
    this.#refuseIfClosed();
    const outcome = await new Promise<Outcome>((settle) => {
      this.#waiting.push({ run, settle });
      this.#draining ??= this.#drain();
    });
    if (!outcome.ok) throw outcome.error;
    // The cast: `settle` passes the value of this `run`.
    return outcome.value as T;
  }

  /** SQLite has one writer: every transaction waits for the others. */
  exclusive<T>(run: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.transaction(run);
  }

  name(address: string): void {
    this.#lock.name(address);
  }

  vitals(): Vitals {
    if (!this.#closed && this.#file.walBytes > WAL_BYTES) this.#writer.emptyWal();
    const { freeBytes, walBytes } = this.#file;
    return { freeBytes, walBytes };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#draining;
    this.#reader.close();
    this.#writer.close();
    this.#lock.release();
  }

  #refuseIfClosed(): void {
    if (this.#closed) throw new StoreUnavailableError("the database is closed");
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // One turn later: calls of the current turn join the group, and I/O is not starved.
      await new Promise((resolve) => setImmediate(resolve));
      await this.#commitGroup(this.#waiting.splice(0, MAX_GROUP));
    }
    this.#draining = undefined;
  }

  /** Settles every call of the group; never rejects. */
  async #commitGroup(group: readonly Call[]): Promise<void> {
    const outcomes: Outcome[] = [];
    try {
      this.#writer.exec("BEGIN IMMEDIATE");
      for (const call of group) {
        outcomes.push(await this.#runOne(call));
      }
      this.#writer.exec("COMMIT");
      // Before anybody learns of it: nobody finds what is stored in a file without a name.
      this.#file.refuseIfMoved();
    } catch (cause) {
      const error = unavailable(cause);
      // Calls that failed fail with this error too: they may have read rows that are undone now.
      for (const call of group) call.settle({ ok: false, error });
      this.#rollback();
      return;
    }
    for (const [index, call] of group.entries()) {
      call.settle(outcomes[index] ?? { ok: false, error: new Error("a call has no outcome") });
    }
  }

  async #runOne({ run }: Call): Promise<Outcome> {
    const tx = new SqliteTransaction(this.#writer);
    this.#writer.exec("SAVEPOINT one_call");
    try {
      const value = await run(tx);
      tx.close();
      if (tx.failure !== undefined) throw tx.failure.error;
      this.#writer.exec("RELEASE one_call");
      return { ok: true, value };
    } catch (error) {
      tx.close();
      // A full or failing disk has ended the transaction of the whole group.
      if (!this.#writer.inTransaction) throw error;
      this.#writer.exec("ROLLBACK TO one_call");
      this.#writer.exec("RELEASE one_call");
      return { ok: false, error };
    }
  }

  #rollback(): void {
    try {
      if (this.#writer.inTransaction) this.#writer.exec("ROLLBACK");
    } catch {
      // The next BEGIN fails too and reports it.
    }
  }
}

/** The writer in use by one call. */
class SqliteTransaction implements Queryable {
  readonly #writer: SqliteConnection;
  #open = true;
  /** The first failed statement. SQLite would accept later ones; a server does not. */
  failure: { readonly error: unknown } | undefined;

  constructor(writer: SqliteConnection) {
    this.#writer = writer;
  }

  async query<Row>(sql: Sql, params: readonly SqlValue[] = []): Promise<Row[]> {
    // The connection may be in another call's transaction.
    if (!this.#open) throw new TypeError("the transaction is over: await every query inside it");
    try {
      return this.#writer.run(textOf(sql, "sqlite"), params) as Row[];
    } catch (error) {
      this.failure ??= { error };
      throw error;
    }
  }

  close(): void {
    this.#open = false;
  }
}
