import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type Context,
  createService,
  createTables,
  type Driver,
  DueClock,
  dueInstantOf,
  postgresDriver,
  sqliteDriver,
  StoreInUseError,
  systemClock,
} from "@countersign/service";
import { databaseUrl } from "./environment.ts";
import { Failure, messageOf, systemCode } from "./failure.ts";
import { loadProfile } from "./provider.ts";
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

/** The database of `countersign serve`, chosen and not yet opened. */
interface ServiceDatabase {
  /** For the person at the terminal: without user, password and parameters. */
  readonly name: string;
  readonly open: () => Promise<Driver>;
}

export async function serviceDatabase(
  file: string | undefined,
  env: Surroundings["env"],
): Promise<ServiceDatabase> {
  const url = await databaseUrl(env, file);
  if (url === undefined) {
    const name = file ?? join(DEFAULT_FOLDER, "service.db");
    return { name, open: () => openDatabase(name) };
  }
  const { protocol, host, pathname } = new URL(url);
  return { name: `${protocol}//${host}${pathname}`, open: async () => postgresDriver({ url }) };
}

/** Help of the commands below, before their examples. */
export const dataHelp = `
With SQLite, stop countersign serve first. With PostgreSQL it may be running.

Environment (also as NAME_FILE, the path of a file that holds it):
  COUNTERSIGN_DATABASE_URL   postgres://… instead of the SQLite file

Examples:
`;

/** Runs something on the service's database, with its tables up to date. Running processes find its deliveries within a second or so. */
export async function withServiceData<T>(
  options: {
    readonly database: string | undefined;
    readonly profile?: string;
    readonly createsDatabase?: boolean;
  },
  { env }: Surroundings,
  run: (context: Context) => Promise<T>,
): Promise<T> {
  const profile = await loadProfile(options.profile ?? "standard");
  const { name, open } = await serviceDatabase(options.database, env);
  // A driver of PostgreSQL's names a server.
  if (options.createsDatabase !== true && !name.includes("://") && !existsSync(name))
    throw unusable(`the database ${name} does not exist; countersign serve creates it`);
  const driver = await open();
  try {
    await createTables(driver);
    // Running processes use the stored clock, which may differ from this machine's.
    const due = await dueInstantOf(driver, systemClock, "live");
    const dueClock = new DueClock({ ...systemClock, now: () => due });
    return await run(createService({ driver, profile, dueClock }).context);
  } catch (error) {
    throw asFailure(error, name);
  } finally {
    await driver.close();
  }
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
