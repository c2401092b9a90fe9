import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Command } from "commander";
import type { EventKey } from "@countersign/receiver";
import { postgresMigrations } from "@countersign/receiver/postgres";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { badArgument } from "../failure.ts";
import { type InboxPlace, withInbox } from "../inbox-database.ts";
import { integer } from "../options.ts";
import { printable, printableJson } from "../printable.ts";
import type { Surroundings } from "../terminal.ts";

const environment = `
The inbox is the receiver's record of events: in PostgreSQL where the variable names it, else in the SQLite
file of --database.

Environment (also as NAME_FILE, the path of a file that holds it):
  COUNTERSIGN_DATABASE_URL   postgres://… of the inbox
`;

const migrateHelp = `${environment}
Several at once are safe, and what is there is left. --print needs no database: for tools of your own.

Examples:
  countersign inbox migrate --database inbox.db
  countersign inbox migrate --schema ledger --print > 001-inbox.sql`;

const statusHelp = `${environment}
Counts stored events that no worker has handled, and those that have been due for too long, and prints the one
that was stored first. Exits with 1 if an event is overdue.

Examples:
  countersign inbox status --database inbox.db
  countersign inbox status --schema ledger --overdue-after 300 --json`;

const deadHelp = `${environment}
Prints one line an event, the latest first: provider, id, type, when and after how many attempts it was given up, why.

Examples:
  countersign inbox dead --database inbox.db
  countersign inbox dead --limit 1000 --json`;

const retryHelp = `${environment}
The receiver's workers handle the event again, with new attempts. Ends with 1 if it is not a dead event. An id with
spaces is one id.

Examples:
  countersign inbox retry stripe evt_1Q2w3E --database inbox.db
  countersign inbox retry github 72d3162e-cc78 pull_request.opened --schema ledger
  countersign inbox retry stripe evt_1Q2w3E --tenant acme --schema ledger`;

const eraseHelp = `${environment}
Removes the stored body of one event, what was read with it and the reason of its failure. Its key stays, so that a
repeat is a duplicate. An event that waits, or is dead, is never handled then. Ends with 1 if a handler has the event,
or if there is none.

Examples:
  countersign inbox erase stripe evt_1Q2w3E --database inbox.db
  countersign inbox erase stripe evt_1Q2w3E --tenant acme --schema ledger`;

interface InboxOptions extends InboxPlace {
  readonly json: boolean | undefined;
}

/** `countersign inbox …`. */
export function declareInbox(inbox: Command, surroundings: Surroundings): void {
  withPlace(inbox.command("migrate").description("Create or update the inbox's tables"))
    .option("--print", "print the SQL instead of running it")
    .addHelpText("after", migrateHelp)
    .action((options: MigrateOptions) => createOrUpdate(options, surroundings));
  withPlace(inbox.command("status").description("Count unhandled and overdue events"))
    .option(
      "--overdue-after <seconds>",
      "age at which a due event is overdue",
      integer(0, 999_999_999),
      120,
    )
    .addHelpText("after", statusHelp)
    .action(async (options: StatusOptions) => {
      if (!(await printStatus(options, surroundings))) surroundings.unmet();
    });
  withPlace(inbox.command("dead").description("List events whose attempts are used up"))
    .option("--limit <number>", "maximum number of events", integer(1, 100_000), 100)
    .addHelpText("after", deadHelp)
    .action((options: DeadOptions) => printDead(options, surroundings));
  declareEvent(inbox.command("retry").description("Retry a dead event now"), retryHelp, retry);
  declareEvent(inbox.command("erase").description("Erase a stored event's body"), eraseHelp, erase);

  function declareEvent(command: Command, help: string, run: typeof retry): void {
    withPlace(command)
      .argument("<provider>", "name of the provider, as printed by dead")
      .argument("<id...>", "event id, as printed by dead")
      .option("--tenant <name>", "the event's tenant, with several tenants", "")
      .addHelpText("after", help)
      .action(async (provider: string, id: readonly string[], options: TenantOptions) => {
        const key = { provider, tenant: options.tenant, id: id.join(" ") };
        if (!(await run(key, options, surroundings))) surroundings.unmet();
      });
  }
}

function withPlace(command: Command): Command {
  return command
    .option("--database <file>", "SQLite file")
    .option("--schema <name>", "PostgreSQL schema of the service's inbox; required there")
    .option("--json", "print one JSON object instead of lines");
}

interface MigrateOptions extends InboxOptions {
  readonly print: boolean | undefined;
}

interface StatusOptions extends InboxOptions {
  /** Seconds. */
  readonly overdueAfter: number;
}

interface DeadOptions extends InboxOptions {
  readonly limit: number;
}

interface TenantOptions extends InboxOptions {
  readonly tenant: string;
}

const textOf = ({ provider, tenant, id }: EventKey): string =>
  tenant === "" ? `${provider} ${id}` : `${provider} ${id}  tenant ${tenant}`;

/** `countersign inbox migrate`. */
async function createOrUpdate(
  command: MigrateOptions,
  { terminal, env }: Surroundings,
): Promise<void> {
  requireSchema(command);
  if (command.print === true) {
    const statements =
      command.database === undefined
        ? postgresMigrations(command.schema ?? "").map(({ sql }) => sql)
        : await sqliteStatements();
    if (command.json === true) terminal.out(printableJson({ statements }));
    else for (const statement of statements) terminal.out(statement.trimEnd());
    return;
  }
  await withInbox(command, { env, isMade: true }, ({ migrate }) => migrate());
  if (command.json === true) terminal.out(printableJson({ migrated: true }));
  else terminal.err("the inbox schema is up to date");
}

/**
 * `countersign inbox status`.
 *
 * @returns True if no event is overdue.
 */
async function printStatus(
  command: StatusOptions,
  { terminal, env }: Surroundings,
): Promise<boolean> {
  requireSchema(command);
  const now = Date.now();
  const dueBefore = now - command.overdueAfter * 1000;
  const { unhandled, overdue, oldest } = await withInbox(command, { env, isMade: false }, (inbox) =>
    inbox.queue.status({ dueBefore }),
  );
  const event = oldest && {
    ...oldest.key,
    type: oldest.type,
    attempts: oldest.attempts,
    storedAt: new Date(oldest.storedAt).toISOString(),
    dueAt: new Date(oldest.dueAt).toISOString(),
  };
  if (command.json === true) {
    terminal.out(printableJson({ unhandled, overdue, oldest: event ?? null }));
    return overdue === 0;
  }
  terminal.out(`${String(unhandled)} unhandled, ${String(overdue)} overdue`);
  if (event !== undefined) {
    const { type, attempts, storedAt, dueAt } = event;
    const times = `stored ${storedAt}  due ${dueAt}  ${timesOf(attempts)}`;
    terminal.out(printable(`oldest: ${textOf(event)}  ${type}  ${times}`));
  }
  return overdue === 0;
}

const timesOf = (attempts: number): string =>
  `${String(attempts)} attempt${attempts === 1 ? "" : "s"}`;

/** `countersign inbox dead`: the latest first. */
async function printDead(command: DeadOptions, { terminal, env }: Surroundings): Promise<void> {
  requireSchema(command);
  const dead = await withInbox(command, { env, isMade: false }, ({ queue }) =>
    queue.dead({ limit: command.limit }),
  );
  const events = dead.map(({ key, type, attempts, reason, diedAt }) => ({
    ...key,
    type,
    attempts,
    reason,
    diedAt: new Date(diedAt).toISOString(),
  }));
  if (command.json === true) {
    terminal.out(printableJson({ events }));
    return;
  }
  for (const { type, attempts, reason, diedAt, ...key } of events)
    terminal.out(printable(`${textOf(key)}  ${type}  ${diedAt}  ${timesOf(attempts)}  ${reason}`));
  const count = `${String(events.length)} dead event${events.length === 1 ? "" : "s"}`;
  terminal.err(events.length < command.limit ? count : `${count}, and there may be more: --limit`);
}

/**
 * `countersign inbox retry`.
 *
 * @returns True if the inbox has such a dead event.
 */
async function retry(
  key: EventKey,
  command: TenantOptions,
  { terminal, env }: Surroundings,
): Promise<boolean> {
  requireSchema(command);
  const retried = await withInbox(command, { env, isMade: false }, ({ queue }) =>
    queue.retry({ key, now: Date.now() }),
  );
  if (command.json === true) terminal.out(printableJson({ ...key, retried }));
  else if (retried) terminal.err(`${printable(textOf(key))} is due now`);
  else terminal.err(`${printable(textOf(key))} is not a dead event`);
  return retried;
}

/**
 * `countersign inbox erase`.
 *
 * @returns True if nothing is kept of the event but its key.
 */
async function erase(
  key: EventKey,
  command: TenantOptions,
  { terminal, env }: Surroundings,
): Promise<boolean> {
  requireSchema(command);
  const result = await withInbox(command, { env, isMade: false }, ({ queue }) =>
    queue.erase({ key, now: Date.now() }),
  );
  const said = {
    erased: "is erased",
    busy: "is being handled: try again later",
    unknown: "is not in the inbox",
  };
  if (command.json === true) terminal.out(printableJson({ ...key, result }));
  else terminal.err(`${printable(textOf(key))} ${said[result]}`);
  return result === "erased";
}

/** PostgreSQL needs the schema; a SQLite file is one inbox. */
function requireSchema({ database, schema }: InboxPlace): void {
  if (schema === undefined ? database !== undefined : /^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    return;
  throw badArgument(
    `${schema === undefined ? "missing" : "invalid"} --schema: expected the schema of the service's inbox, of ` +
      "lower-case letters, digits and underscores, at most 63, e.g. --schema ledger",
  );
}

/** Returns the SQL statements that create an inbox, read from a temporary one. */
async function sqliteStatements(): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-inbox-"));
  try {
    const path = join(folder, "inbox.db");
    const inbox = sqliteInbox(path);
    // The first call opens it.
    await inbox.queue.dead({ limit: 1 });
    inbox.close();
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      const rows = database.prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").all();
      return rows.map(({ sql }) => `${String(sql)};`);
    } finally {
      database.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
