import { statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { StoreUnavailableError } from "../driver.ts";

/** The file of an open database, seen from outside. */
export class DatabaseFile {
  readonly #path: string;
  /** Device and inode. */
  readonly #identity: string | undefined;

  /** @param path An existing file. */
  constructor(path: string) {
    this.#path = path;
    this.#identity = identityOf(path);
  }

  /**
   * SQLite goes on writing into a file that was removed or replaced, where nobody finds it again.
   *
   * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: another file or none has the path now.
   */
  refuseIfMoved(): void {
    const identity = identityOf(this.#path);
    if (identity === this.#identity) return;
    const how = identity === undefined ? "removed" : "replaced";
    const message = `the database file ${this.#path} has been ${how}: restart the service`;
    throw new StoreUnavailableError(message, { fault: "file" });
  }

  get walBytes(): number {
    return statSync(`${this.#path}-wal`, NO_THROW)?.size ?? 0;
  }

  /** Free bytes of its disk. */
  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(dirname(this.#path));
    return bavail * bsize;
  }
}

const NO_THROW = { throwIfNoEntry: false } as const;

function identityOf(path: string): string | undefined {
  const stat = statSync(path, { ...NO_THROW, bigint: true });
  return stat && `${stat.dev} ${stat.ino}`;
}
