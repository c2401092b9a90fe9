import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sqliteDriver, type Driver, type SqliteOptions } from "@countersign/service/internal";
import { Failure } from "./failure.ts";

/** Folder of the databases that nobody has named, in the working folder. */
export const DEFAULT_FOLDER = ".countersign";

/**
 * Opens a SQLite file, and makes its folder where it is missing: for this user alone, since tokens
 * stand beside the database.
 *
 * @throws {Failure} `CS_CLI_DATABASE_UNUSABLE`
 */
export async function openDatabase(file: string, options?: SqliteOptions): Promise<Driver> {
  const folder = dirname(file);
  try {
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (made !== undefined && folder === DEFAULT_FOLDER) {
      await writeFile(join(folder, ".gitignore"), "*\n");
    }
    return sqliteDriver(file, options);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `the database ${file} cannot be opened: ${reason}`;
    throw new Failure("CS_CLI_DATABASE_UNUSABLE", message, { cause });
  }
}
