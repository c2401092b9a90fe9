import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type Driver,
  postgresDriver,
  sqliteDriver,
  StoreInUseError,
} from "@countersign/service/internal";
import { databaseUrl } from "./environment.ts";
import { Failure, systemCode } from "./failure.ts";
import type { Surroundings } from "./terminal.ts";

/** Default folder of databases, in the working folder. */
export const DEFAULT_FOLDER = ".countersign";

/**
 * Opens a SQLite file. Creates its folder if needed, readable by this user only, since tokens are stored
 * next to the database.
 *
 * @throws {Failure} `CS_CLI_DATABASE_UNUSABLE`
 */
export async function openDatabase(file: string): Promise<Driver> {
  const folder = dirname(file);
  try {
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (made !== undefined && folder === DEFAULT_FOLDER) {
      await writeFile(join(folder, ".gitignore"), "*\n");
    }
    return sqliteDriver(file);
  } catch (cause) {
    if (cause instanceof StoreInUseError)
      throw new Failure("CS_CLI_DATABASE_UNUSABLE", cause.message, { cause });
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `the database ${file} cannot be opened: ${reason}`;
    throw new Failure("CS_CLI_DATABASE_UNUSABLE", message, { cause });
  }
}

/** A database that has been chosen and not yet opened. */
export interface ServiceDatabase {
  /** For the person at the terminal: without user, password and parameters. */
  readonly name: string;
  readonly open: () => Promise<Driver>;
}

/**
 * The database of `countersign serve`: PostgreSQL where `COUNTERSIGN_DATABASE_URL` names it, else a
 * SQLite file.
 *
 * @param options `mustExist`: `open` fails with `CS_CLI_DATABASE_UNUSABLE` instead of creating the file.
 * @throws {Failure} `CS_CLI_ENVIRONMENT_UNUSABLE`: the variable is not the URL of a PostgreSQL database, or a
 *   file is given too.
 */
export async function serviceDatabase(
  file: string | undefined,
  env: Surroundings["env"],
  { mustExist = false }: { readonly mustExist?: boolean } = {},
): Promise<ServiceDatabase> {
  const url = await databaseUrl(env);
  if (url === undefined) {
    const path = file ?? join(DEFAULT_FOLDER, "service.db");
    const open = async (): Promise<Driver> => {
      if (mustExist && !existsSync(path)) {
        const message = `the database ${path} does not exist; countersign serve creates it`;
        throw new Failure("CS_CLI_DATABASE_UNUSABLE", message);
      }
      return openDatabase(path);
    };
    return { name: path, open };
  }
  if (file !== undefined) {
    throw new Failure(
      "CS_CLI_ENVIRONMENT_UNUSABLE",
      "COUNTERSIGN_DATABASE_URL and --database name two databases; choose one",
    );
  }
  const { protocol, host, pathname } = new URL(url);
  return { name: `${protocol}//${host}${pathname}`, open: async () => postgresDriver({ url }) };
}

/**
 * Converts an error of the service's start to the command's failure; rethrows every other error.
 *
 * @param database Its name for people.
 */
export function asFailure(error: unknown, database?: string): unknown {
  const badDatabase = (cause: unknown): Failure => {
    const named = database === undefined ? "" : `${database}: `;
    return new Failure("CS_CLI_DATABASE_UNUSABLE", `${named}${messageOf(cause)}`, { cause });
  };
  // An error from PostgreSQL, such as a missing permission to create tables.
  if (error instanceof Error && "severity" in error) return badDatabase(error);
  switch (systemCode(error)) {
    case "CS_SECRET_KEYS":
    case "CS_SECRET_REFUSED":
      return new Failure("CS_CLI_ENCRYPTION_KEYS_UNUSABLE", messageOf(error), { cause: error });
    case "CS_STORE_VERSION":
    case "CS_STORE_UNAVAILABLE":
    case "ERR_SQLITE_ERROR":
      return badDatabase(error);
    case undefined:
    default:
      return error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
