import type { Inbox, InboxQueue } from "@countersign/receiver";
import { postgresInbox } from "@countersign/receiver/postgres";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { databaseUrl } from "./environment.ts";
import { badArgument, Failure, systemCode } from "./failure.ts";
import * as option from "./options.ts";
import { openFile, openPool } from "./sql.ts";
import type { Surroundings } from "./terminal.ts";

/** Options that say where an inbox is. */
export const inboxPlace = {
  database: option.text("<file>", "SQLite file"),
  schema: option.text("<name>", "PostgreSQL schema of the service's inbox; required there"),
};
type InboxPlace = option.ValuesOf<typeof inboxPlace>;

type OpenInbox = Inbox & { readonly queue: InboxQueue };

const UNDEFINED_TABLE = "42P01";
const NO_INBOX =
  "it has no inbox there: check --schema and --database, or start your app, which calls inbox.migrate()";

/** Does something with a receiver's inbox: in PostgreSQL where `COUNTERSIGN_DATABASE_URL` names it, else in the SQLite file. */
export async function withInbox<T>(
  place: InboxPlace,
  { env }: Pick<Surroundings, "env">,
  use: (inbox: OpenInbox) => Promise<T>,
): Promise<T> {
  const { database, schema = "" } = place;
  const url = await databaseUrl(env, database);
  if (url === undefined && database === undefined)
    throw badArgument(
      "missing --database FILE; for PostgreSQL, set COUNTERSIGN_DATABASE_URL and --schema NAME",
    );
  // A SQLite file is one inbox.
  if ((url !== undefined || schema !== "") && !/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw badArgument(
      `${schema === "" ? "missing" : "invalid"} --schema: expected the schema of the service's inbox, of lower-case ` +
        "letters, digits and underscores, at most 63, e.g. --schema ledger",
    );
  try {
    const { inbox, close } =
      database === undefined ? inPostgres(url ?? "", schema) : inFile(database);
    try {
      return await use(inbox);
    } finally {
      await close();
    }
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw unusable(cause);
  }
}

interface Opened {
  readonly inbox: OpenInbox;
  readonly close: () => void | Promise<void>;
}

/** Opening an inbox would create its tables. */
function inFile(path: string): Opened {
  const database = openFile(path);
  try {
    const found = database
      .prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'countersign_events'")
      .get();
    if (found === undefined) throw unusable(undefined, NO_INBOX);
  } finally {
    database.close();
  }
  const inbox = sqliteInbox(path);
  return { inbox, close: () => inbox.close() };
}

function inPostgres(url: string, schema: string): Opened {
  const pool = openPool(url);
  return { inbox: postgresInbox(pool, { schema }), close: () => pool.end() };
}

/** Describes an inbox that cannot be opened. A driver's message is left out, since it may contain the URL. */
function unusable(cause: unknown, known?: string): Failure {
  const code = systemCode(cause);
  const silent = `it does not answer${code === undefined ? "" : ` (${code})`}`;
  const other = code === "CS_INBOX_VERSION" && cause instanceof Error ? cause.message : undefined;
  const why = known ?? other ?? (code === UNDEFINED_TABLE ? NO_INBOX : silent);
  return new Failure("CS_CLI_DATABASE_UNUSABLE", `the database cannot be used: ${why}`, cause);
}
