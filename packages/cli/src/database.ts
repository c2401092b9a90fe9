import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Driver, postgresDriver, sqliteDriver, StoreInUseError } from "@countersign/service";
import { badEnvironment, databaseUrl } from "./environment.ts";
import { Failure, messageOf, systemCode } from "./failure.ts";
import type { Surroundings } from "./terminal.ts";

/** Default folder of databases, in the working folder. */
export const DEFAULT_FOLDER = ".countersign";

/** Opens a SQLite file, and creates its folder if needed. @throws {Failure} `CS_CLI_DATABASE_UNUSABLE` */
export async function openDatabase(file: string): Promise<Driver> {
  try {
    await makeFolderOf(file);
    return sqliteDriver(file);
  } catch (cause) {
    throw cause instanceof StoreInUseError
      ? unusable(cause.message, cause)
      : badDatabase(file, cause);
  }
}

const unusable = (message: string, cause?: unknown): Failure =>
  new Failure("CS_CLI_DATABASE_UNUSABLE", message, cause);

/** The failure of a database file that cannot be opened. */
export const badDatabase = (file: string, cause: unknown): Failure =>
  unusable(`${file} cannot be opened: ${messageOf(cause)}`, cause);

/** Creates a file's folder, readable by this user only, since tokens are next to databases, and ignored by git. */
export async function makeFolderOf(file: string): Promise<void> {
  const folder = dirname(file);
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (made !== undefined && folder === DEFAULT_FOLDER)
    await writeFile(join(folder, ".gitignore"), "*\n");
}

/** A database that has been chosen and not yet opened. */
interface ServiceDatabase {
  /** For the person at the terminal: without user, password and parameters. */
  readonly name: string;
  readonly open: () => Promise<Driver>;
}

/** The database of `countersign serve`. @param options `mustExist`: a missing SQLite file is an error. */
export async function serviceDatabase(
  file: string | undefined,
  env: Surroundings["env"],
  { mustExist = false }: { readonly mustExist?: boolean } = {},
): Promise<ServiceDatabase> {
  const url = await databaseUrl(env);
  if (url === undefined) {
    const name = file ?? join(DEFAULT_FOLDER, "service.db");
    const open = async (): Promise<Driver> => {
      if (!mustExist || existsSync(name)) return openDatabase(name);
      throw unusable(`the database ${name} does not exist; countersign serve creates it`);
    };
    return { name, open };
  }
  if (file !== undefined)
    throw badEnvironment("COUNTERSIGN_DATABASE_URL and --database name two databases; choose one");
  const { protocol, host, pathname } = new URL(url);
  return { name: `${protocol}//${host}${pathname}`, open: async () => postgresDriver({ url }) };
}

/** Converts an error of the service's start to the command's failure; any other error stays as it is. */
export function asFailure(error: unknown, database?: string): unknown {
  const code = systemCode(error) ?? "";
  const message = messageOf(error);
  if (["CS_SECRET_KEYS", "CS_SECRET_REFUSED"].includes(code))
    return new Failure("CS_CLI_ENCRYPTION_KEYS_UNUSABLE", message, error);
  // PostgreSQL's errors, such as a missing permission to create tables, have a severity.
  const isOfDatabase =
    ["CS_STORE_VERSION", "CS_STORE_UNAVAILABLE", "ERR_SQLITE_ERROR"].includes(code) ||
    (error instanceof Error && "severity" in error);
  if (!isOfDatabase) return error;
  return unusable(database === undefined ? message : `${database}: ${message}`, error);
}
