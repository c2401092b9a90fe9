import type { DatabaseSync, StatementSync } from "node:sqlite";
import { openWal } from "./open-wal.ts";
import { isError } from "../is-error.ts";

/** Calls that share one COMMIT; bounds how long the first of them waits for the others. */
const MAX_GROUP = 256;

interface Call {
  readonly run: (database: DatabaseSync) => unknown;
  /** Whether `run` is one statement, which SQLite undoes by itself when it fails. */
  readonly oneStatement: boolean;
  readonly settle: (outcome: Outcome) => void;
}
type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: unknown };

/**
 * A SQLite file in WAL mode with `synchronous=FULL`. Calls of one turn of the event loop share a
 * transaction, and so its flush to disk; one that fails takes back its own writes alone, and none is
 * told its value before COMMIT. A COMMIT that fails rejects all of them.
 */
export class SqliteGroup {
  readonly #database: DatabaseSync;
  // Run once or more for each group: as texts they would be read anew each time.
  readonly #begin: StatementSync;
  readonly #commitAll: StatementSync;
  readonly #savepoint: StatementSync;
  readonly #release: StatementSync;
  #waiting: Call[] = [];
  #scheduled = false;

  /** @param prepare Runs once, in a transaction: of several processes the first one makes the tables. */
  constructor(
    path: string,
    {
      busyMs,
      prepare,
    }: { readonly busyMs: number; readonly prepare: (file: DatabaseSync) => void },
  ) {
    this.#database = openWal(path, { busyMs });
    this.#database.exec("BEGIN IMMEDIATE");
    prepare(this.#database);
    this.#database.exec("COMMIT");
    this.#begin = this.#database.prepare("BEGIN IMMEDIATE");
    this.#commitAll = this.#database.prepare("COMMIT");
    this.#savepoint = this.#database.prepare("SAVEPOINT one_call");
    this.#release = this.#database.prepare("RELEASE one_call");
  }

  /** Runs one statement in the next group. */
  run<T>(run: (database: DatabaseSync) => T): Promise<T> {
    return this.#add(run, true);
  }

  /** Runs any number of statements in the next group; all of them are undone when `run` throws. */
  runTogether<T>(run: (database: DatabaseSync) => T): Promise<T> {
    return this.#add(run, false);
  }

  #add<T>(run: (database: DatabaseSync) => T, oneStatement: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (!this.#database.isOpen) throw new Error("the inbox is closed");
      const settle = (outcome: Outcome): void => {
        // `value` is what this very `run` returned.
        if (outcome.ok) resolve(outcome.value as T);
        else
          reject(
            isError(outcome.error)
              ? outcome.error
              : new Error("the call failed", { cause: outcome.error }),
          );
      };
      this.#waiting.push({ run, oneStatement, settle });
      if (this.#scheduled) return;
      this.#scheduled = true;
      // After the sockets of this turn were read: their calls join the group.
      setImmediate(() => this.#flush());
    });
  }

  /** Commits what waits and closes the file. */
  close(): void {
    while (this.#waiting.length > 0) this.#commit(this.#waiting.splice(0, MAX_GROUP));
    if (this.#database.isOpen) this.#database.close();
  }

  #flush(): void {
    this.#scheduled = false;
    this.#commit(this.#waiting.splice(0, MAX_GROUP));
    if (this.#waiting.length === 0 || this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#flush());
  }

  #commit(group: readonly Call[]): void {
    if (group.length === 0) return;
    const outcomes: Outcome[] = [];
    try {
      this.#begin.run();
      for (const call of group) outcomes.push(this.#runOne(call));
      this.#commitAll.run();
    } catch (error) {
      this.#rollback();
      // Also those that succeeded: what they wrote is not durable, so none of it happened.
      for (const call of group) call.settle({ ok: false, error });
      return;
    }
    for (const [index, call] of group.entries())
      call.settle(outcomes[index] ?? { ok: false, error: new Error("a call has no outcome") });
  }

  #runOne({ run, oneStatement }: Call): Outcome {
    if (!oneStatement) this.#savepoint.run();
    try {
      const value = run(this.#database);
      if (!oneStatement) this.#release.run();
      return { ok: true, value };
    } catch (error) {
      // A full or failing disk ends the whole transaction, and so does a COMMIT of `run`'s own.
      if (!this.#database.isTransaction) throw error;
      if (!oneStatement) this.#database.exec("ROLLBACK TO one_call; RELEASE one_call");
      return { ok: false, error };
    }
  }

  #rollback(): void {
    try {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
    } catch {
      // The next BEGIN meets the same broken file, fails too, and says so to its callers.
    }
  }
}
