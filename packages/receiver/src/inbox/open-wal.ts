import { DatabaseSync } from "node:sqlite";
import { isError } from "../is-error.ts";

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
export function openWal(path: string, { busyMs }: { readonly busyMs: number }): DatabaseSync {
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
  isError(error) &&
  "errcode" in error &&
  typeof error.errcode === "number" &&
  (error.errcode & 0xff) === SQLITE_BUSY;
