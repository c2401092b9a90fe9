import {
  StoreUnavailableError,
  textOf,
  Transaction,
  type Driver,
  type Queryable,
  type Sql,
  type SqlValue,
  withHooks,
} from "../driver.ts";
import { SqliteConnection, unavailable } from "./connection.ts";
import { FileLock, hasRoom, identityOf, refuseIfMoved } from "./file.ts";

/** Calls that share one COMMIT; bounds how long the first one waits for the others. */
const MAX_GROUP = 256;

interface Call {
  readonly run: (tx: Queryable) => Promise<unknown>;
  readonly isDurable: boolean;
  /** Called once, after COMMIT or its failure. */
  readonly settle: (outcome: Outcome) => void;
}
type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: unknown };

/**
 * A SQLite file through `node:sqlite`: WAL, group commit, `synchronous=FULL` unless all of a group may be lost. One driver at a time may have the file; other
 * programs, such as a backup, may read it.
 *
 * Transactions requested in one turn of the event loop share one BEGIN IMMEDIATE, one COMMIT and its flush to
 * disk. They run one after the other, each in its own SAVEPOINT, so that a failure undoes only its own
 * writes. Reads outside a transaction use a second, read-only connection and never see uncommitted rows.
 *
 * @param options `busyMs`: maximum wait of BEGIN for another program's transaction. Default 5000.
 * @throws {StoreInUseError} `CS_STORE_IN_USE`: another process has the file.
 */
export function sqliteDriver(file: string, options: { readonly busyMs?: number } = {}): Driver {
  if (file === "" || file.includes(":memory:"))
    throw new TypeError('invalid "file": expected a path, not a database in memory');
  return new SqliteDriver(file, options.busyMs ?? 5000);
}

class SqliteDriver implements Driver {
  readonly #writer: SqliteConnection;
  readonly #reader: SqliteConnection;
  readonly #waiting: Call[] = [];
  /** Resolves when no call waits. */
  #draining: Promise<void> | undefined;
  #closed = false;
  readonly #file: string;
  readonly #identity: string | undefined;
  readonly #lock: FileLock;
  readonly isAlone = true;

  constructor(file: string, busyMs: number) {
    this.#lock = new FileLock(file);
    try {
      this.#writer = new SqliteConnection(file, { readOnly: false, busyMs });
      this.#reader = new SqliteConnection(file, { readOnly: true, busyMs });
    } catch (error) {
      this.#lock.release();
      throw error;
    }
    this.#file = file;
    this.#identity = identityOf(file);
  }

  // Async although SQLite is not: a failing statement must reject, as it does on a server.
  async query<Row>(sql: Sql, params: readonly SqlValue[] = []): Promise<Row[]> {
    this.#refuseIfClosed();
    // The caller's claim about its own text, as `Queryable` says.
    return this.#reader.run(textOf(sql, "sqlite"), params) as Row[];
  }

  transaction<T>(
    run: (tx: Queryable) => Promise<T>,
    { isDurable = true }: { readonly isDurable?: boolean } = {},
  ): Promise<T> {
    return withHooks(run, (hooked) => this.#transact(hooked, isDurable));
  }

  async #transact<T>(run: (tx: Queryable) => Promise<T>, isDurable: boolean): Promise<T> {
    this.#refuseIfClosed();
    const outcome = await new Promise<Outcome>((settle) => {
      this.#waiting.push({ run, isDurable, settle });
      this.#draining ??= this.#drain();
    });
    if (!outcome.ok) throw outcome.error;
    // The cast: `settle` passes the value of this `run`.
    return outcome.value as T;
  }

  name(address: string): void {
    this.#lock.name(address);
  }

  hasRoom(): boolean {
    return hasRoom(this.#file);
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
      this.#writer.flushes(group.some(({ isDurable }) => isDurable));
      this.#writer.exec("BEGIN IMMEDIATE");
      for (const call of group) {
        outcomes.push(await this.#runOne(call));
      }
      this.#writer.exec("COMMIT");
      // Before anybody learns of it: nobody finds what is stored in a file without a name.
      refuseIfMoved(this.#file, this.#identity);
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
    // SQLite would accept statements after a failed one; a server does not.
    const tx = new Transaction(async (sql, params) =>
      this.#writer.run(textOf(sql, "sqlite"), params),
    );
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
