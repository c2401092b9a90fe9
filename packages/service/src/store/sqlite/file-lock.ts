import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { StoreInUseError } from "../driver.ts";
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
