import { DatabaseSync } from "node:sqlite";
import { createPrivately, isBusy } from "./connection.ts";

/**
 * This process's presence at a SQLite file: a shared lock of a second file without data, `FILE-lock`. The system releases it
 * when the process ends, however it ends; so a process that gets the lock exclusively is the only one.
 */
export class Presence {
  readonly #path: string;
  readonly #busyMs: number;
  #lock: DatabaseSync | undefined;
  #entering: Promise<void> | undefined;

  constructor(file: string, busyMs: number) {
    this.#path = `${file}-lock`;
    this.#busyMs = busyMs;
  }

  /** As `Driver.enter`. */
  enter(whenAlone: () => Promise<void>): Promise<void> {
    this.#entering ??= this.#enter(whenAlone).catch((error: unknown) => {
      this.leave();
      throw error;
    });
    return this.#entering;
  }

  leave(): void {
    this.#lock?.close();
    this.#lock = undefined;
    this.#entering = undefined;
  }

  async #enter(whenAlone: () => Promise<void>): Promise<void> {
    createPrivately(this.#path);
    const lock = new DatabaseSync(this.#path, { timeout: 0 });
    this.#lock = lock;
    if (isAlone(lock)) {
      // Others wait for the end of it below, and enter after it.
      await whenAlone();
      lock.exec("COMMIT");
    }
    // A transaction that has read keeps its shared lock.
    lock.exec(`PRAGMA busy_timeout = ${this.#busyMs}; BEGIN; SELECT count(*) FROM sqlite_schema`);
  }
}

/** Begins a transaction that excludes all others, unless another process is present. */
function isAlone(lock: DatabaseSync): boolean {
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}
