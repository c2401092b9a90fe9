import { type Command, InvalidArgumentError } from "commander";
import type { InboxCommand } from "../commands/inbox.ts";
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
Prints one line an event, the latest first: id, type, when and after how many attempts it was given up, why.

Examples:
  countersign inbox dead --database inbox.db
  countersign inbox dead --limit 1000 --json`;

const retryHelp = `${environment}
The receiver's workers handle the event again, with new attempts. Ends with 1 where no dead event has the id.

Examples:
  countersign inbox retry evt_01J9ZG0006 --database inbox.db
  countersign inbox retry evt_01J9ZG0006 --tenant acme`;

interface InboxOptions {
  readonly database: string | undefined;
  readonly schema: string | undefined;
  readonly json: boolean | undefined;
}

/** `countersign inbox …`. */
export function declareInbox(program: Command, surroundings: Surroundings): void {
  const inbox = program.command("inbox").description("a receiver's record of events");
  withPlace(
    inbox.command("migrate").description("make the inbox's tables, or bring them up to date"),
  )
    .option("--print", "print the SQL, and apply nothing")
    .addHelpText("after", migrateHelp)
    .action(async (options: InboxOptions & { readonly print: boolean | undefined }) => {
      const { runMigrate } = await import("../commands/inbox.ts");
      await runMigrate({ ...placeOf(options), print: options.print ?? false }, surroundings);
    });
  withPlace(inbox.command("status").description("count unhandled and overdue events"))
    .option("--overdue-after <seconds>", "seconds after which a due event is overdue", seconds, 120)
    .addHelpText("after", statusHelp)
    .action(async (options: InboxOptions & { readonly overdueAfter: number }) => {
      const { runStatus } = await import("../commands/inbox.ts");
      const command = { ...placeOf(options), overdueAfterSeconds: options.overdueAfter };
      if (!(await runStatus(command, surroundings))) surroundings.unmet();
    });
  withPlace(inbox.command("dead").description("list the events that were given up"))
    .option("--limit <number>", "events at most, up to 100000", limit, 100)
    .addHelpText("after", deadHelp)
    .action(async (options: InboxOptions & { readonly limit: number }) => {
      const { runDead } = await import("../commands/inbox.ts");
      await runDead({ ...placeOf(options), limit: options.limit }, surroundings);
    });
  withPlace(inbox.command("retry").description("make a dead event due again"))
    .argument("<id>", "the event's id")
    .option("--tenant <name>", "whose event it is, with several tenants", "")
    .addHelpText("after", retryHelp)
    .action(async (id: string, options: InboxOptions & { readonly tenant: string }) => {
      const { runRetry } = await import("../commands/inbox.ts");
      const command = { ...placeOf(options), id, tenant: options.tenant };
      if (!(await runRetry(command, surroundings))) surroundings.unmet();
    });
}

function withPlace(command: Command): Command {
  return command
    .option("--database <file>", "SQLite file")
    .option("--schema <name>", "PostgreSQL schema of the service's inbox; required there")
    .option("--json", "one JSON object instead of lines");
}

const placeOf = ({ database, schema, json = false }: InboxOptions): InboxCommand => ({
  database,
  schema,
  json,
});

function seconds(text: string): number {
  const number = Number(text);
  if (/^\d{1,9}$/.test(text)) return number;
  throw new InvalidArgumentError("expected an integer from 0 to 999999999.");
}

function limit(text: string): number {
  const number = Number(text);
  if (/^\d{1,6}$/.test(text) && number >= 1 && number <= 100_000) return number;
  throw new InvalidArgumentError("must be a whole number from 1 to 100000.");
}
