import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { InboxQueue } from "@countersign/receiver";
import { postgresInbox } from "@countersign/receiver/postgres";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import pg from "pg";
import { databaseUrl } from "./environment.ts";
import { Failure, systemCode } from "./failure.ts";
import { printable } from "./printable.ts";
import type { Surroundings } from "./terminal.ts";

export interface InboxPlace {
  /** SQLite file. */
  readonly database: string | undefined;
  /** PostgreSQL schema of the inbox's tables; required for PostgreSQL. */
  readonly schema: string | undefined;
}

/** An open inbox of a receiver. */
export interface OpenInbox {
  readonly queue: InboxQueue;
  /** Makes its tables, or brings them to this version. */
  readonly migrate: () => Promise<void>;
}

const UNDEFINED_TABLE = "42P01";
const NO_INBOX = "it has no inbox: run countersign inbox migrate";

/**
 * Does something with a receiver's inbox: the one in PostgreSQL that `COUNTERSIGN_DATABASE_URL` names,
 * or the SQLite file.
 *
 * @param isMade True if a missing file is created.
 * @throws {Failure} `CS_CLI_ENVIRONMENT_UNUSABLE`: both or neither is given, or the variable is not
 *   such a URL; `CS_CLI_DATABASE_UNUSABLE`: the inbox does not exist, or the database does not answer.
 */
export async function withInbox<T>(
  { database, schema }: InboxPlace,
  { env, isMade }: Pick<Surroundings, "env"> & { readonly isMade: boolean },
  use: (inbox: OpenInbox) => Promise<T>,
): Promise<T> {
  const url = await databaseUrl(env);
  if ((url === undefined) === (database === undefined))
    throw new Failure(
      "CS_CLI_ENVIRONMENT_UNUSABLE",
      "the inbox is either in PostgreSQL, COUNTERSIGN_DATABASE_URL, or in the SQLite file of --database",
    );
  try {
    return url === undefined
      ? await withFile(database ?? "", isMade, use)
      : await withPostgres(url, schema ?? "", use);
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw unusable(cause);
  }
}

async function withFile<T>(
  path: string,
  isMade: boolean,
  use: (inbox: OpenInbox) => Promise<T>,
): Promise<T> {
  if (!isMade) requireInbox(path);
  const inbox = sqliteInbox(path);
  try {
    // Opening it created the missing tables.
    return await use({ queue: inbox.queue, migrate: () => Promise.resolve() });
  } finally {
    inbox.close();
  }
}

/** Opening it would create tables; a file of another program must not be changed. */
function requireInbox(path: string): void {
  if (!existsSync(path))
    throw new Failure("CS_CLI_DATABASE_UNUSABLE", `file ${printable(path)} not found`);
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const found = database
      .prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'countersign_events'")
      .get();
    if (found === undefined) throw unusable(undefined, NO_INBOX);
  } finally {
    database.close();
  }
}

async function withPostgres<T>(
  url: string,
  schema: string,
  use: (inbox: OpenInbox) => Promise<T>,
): Promise<T> {
  const pool = new pg.Pool({ connectionString: url, max: 2, connectionTimeoutMillis: 10_000 });
  // Otherwise a lost idle connection ends the process.
  pool.on("error", () => {});
  try {
    const inbox = postgresInbox(pool, { schema });
    return await use({ queue: inbox.queue, migrate: () => inbox.migrate() });
  } finally {
    await pool.end();
  }
}

/** Describes an inbox that cannot be opened. A driver's message is left out, since it may contain the URL. */
function unusable(cause: unknown, known?: string): Failure {
  const code = systemCode(cause);
  const silent = `it does not answer${code === undefined ? "" : ` (${code})`}`;
  const other = code === "CS_INBOX_VERSION" && cause instanceof Error ? cause.message : undefined;
  const why = known ?? other ?? (code === UNDEFINED_TABLE ? NO_INBOX : silent);
  return new Failure("CS_CLI_DATABASE_UNUSABLE", `the database cannot be used: ${why}`, { cause });
}
