import { existsSync } from "node:fs";
import { join } from "node:path";
import { postgresDriver, type Driver } from "@countersign/service";
import { secretFrom } from "./environment.ts";
import { Failure } from "./failure.ts";
import { DEFAULT_FOLDER, openDatabase } from "./open-database.ts";
import type { Surroundings } from "./terminal.ts";

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
 * @throws {Failure} `CS_CLI_ENVIRONMENT_UNUSABLE`: the variable names no PostgreSQL database, or a file
 *   is named beside it.
 */
export async function serviceDatabase(
  file: string | undefined,
  env: Surroundings["env"],
  { mustExist = false }: { readonly mustExist?: boolean } = {},
): Promise<ServiceDatabase> {
  const url = await secretFrom(env, "COUNTERSIGN_DATABASE_URL");
  if (url === undefined) {
    const path = file ?? join(DEFAULT_FOLDER, "service.db");
    const open = async (): Promise<Driver> => {
      if (mustExist && !existsSync(path)) {
        const message = `the database ${path} does not exist; countersign serve creates it`;
        throw new Failure("CS_CLI_DATABASE_UNUSABLE", message);
      }
      return openDatabase(path, { deliveryThread: true });
    };
    return { name: path, open };
  }
  if (file !== undefined) {
    throw unusable("COUNTERSIGN_DATABASE_URL and --database name two databases; choose one");
  }
  const { protocol, host, pathname } = parsed(url);
  return { name: `${protocol}//${host}${pathname}`, open: async () => postgresDriver({ url }) };
}

function parsed(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^postgres(?:ql)?:$/.test(url.protocol)) return url;
  throw unusable(
    "COUNTERSIGN_DATABASE_URL must be postgres://USER:PASSWORD@HOST:PORT/DATABASE; a SQLite file is named with --database",
  );
}

function unusable(message: string): Failure {
  return new Failure("CS_CLI_ENVIRONMENT_UNUSABLE", message);
}
