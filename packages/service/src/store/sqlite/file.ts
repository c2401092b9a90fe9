import { readFileSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreInUseError, StoreUnavailableError } from "../driver.ts";
import { createPrivately, isBusy } from "./connection.ts";

/**
 * The exclusive use of a SQLite file by one driver: a lock of an empty second file, `FILE-lock`. The system releases it when
 * the process ends, however it ends. `FILE-owner` has the owner's process id and address, for the sentence of the next one.
 */
export class FileLock {
  readonly #owner: string;
  readonly #lock: DatabaseSync;

  /** @throws {StoreInUseError} `CS_STORE_IN_USE`: another driver has the file. */
  constructor(file: string) {
    this.#owner = `${file}-owner`;
    createPrivately(`${file}-lock`);
    this.#lock = new DatabaseSync(`${file}-lock`, { timeout: 0 });
    try {
      this.#lock.exec("BEGIN EXCLUSIVE");
    } catch (error) {
      this.#lock.close();
      throw isBusy(error) ? new StoreInUseError(file, readOwner(this.#owner)) : error;
    }
    this.name();
  }

  /** Writes this process's id, and its address once it listens. */
  name(address?: string): void {
    createPrivately(this.#owner);
    writeFileSync(this.#owner, JSON.stringify({ pid: process.pid, address }));
  }

  release(): void {
    if (!this.#lock.isOpen) return;
    rmSync(this.#owner, { force: true });
    this.#lock.close();
  }
}

function readOwner(path: string): string {
  try {
    // `name` has written it; the owner may be about to.
    const { pid, address } = JSON.parse(readFileSync(path, "utf8")) as {
      readonly pid: number;
      readonly address?: string;
    };
    return `process ${pid}${address === undefined ? "" : ` at ${address}`}`;
  } catch {
    return "another process";
  }
}

/** Device and inode of a file, if it is there. */
export function identityOf(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat && `${stat.dev} ${stat.ino}`;
}

/** SQLite goes on writing into a file that was removed or replaced, where nobody finds it again. */
export function refuseIfMoved(path: string, identity: string | undefined): void {
  const now = identityOf(path);
  if (now === identity) return;
  const how = now === undefined ? "removed" : "replaced";
  const message = `the database file ${path} has been ${how}: restart the service`;
  throw new StoreUnavailableError(message);
}

/** A small write fits into the last pages of a full disk, so that a probe does not notice one. */
const MIN_FREE_BYTES = 64 * 2 ** 20;

export function hasRoom(path: string): boolean {
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize >= MIN_FREE_BYTES;
}
