import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { postgresMigrations } from "@countersign/receiver/postgres";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { Failure } from "../failure.ts";
import { type InboxPlace, withInbox } from "../inbox-database.ts";
import { printable, printableJson } from "../printable.ts";
import type { Surroundings } from "../terminal.ts";

export interface InboxCommand extends InboxPlace {
  readonly json: boolean;
}

/** `countersign inbox migrate`: makes a receiver's tables, or prints how. */
export async function runMigrate(
  command: InboxCommand & { readonly print: boolean },
  { terminal, env }: Surroundings,
): Promise<void> {
  requireSchema(command);
  if (command.print) {
    const statements =
      command.database === undefined
        ? postgresMigrations(command.schema ?? "").map(({ sql }) => sql)
        : await sqliteStatements();
    if (command.json) terminal.out(printableJson({ statements }));
    else for (const statement of statements) terminal.out(statement.trimEnd());
    return;
  }
  await withInbox(command, { env, isMade: true }, ({ migrate }) => migrate());
  if (command.json) terminal.out(printableJson({ migrated: true }));
  else terminal.err("the inbox schema is up to date");
}

/**
 * `countersign inbox status`: what workers have not handled yet.
 *
 * @returns True if no event is overdue.
 */
export async function runStatus(
  command: InboxCommand & { readonly overdueAfterSeconds: number },
  { terminal, env }: Surroundings,
): Promise<boolean> {
  requireSchema(command);
  const now = Date.now();
  const dueBefore = now - command.overdueAfterSeconds * 1000;
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
  if (command.json) {
    terminal.out(printableJson({ unhandled, overdue, oldest: event ?? null }));
    return overdue === 0;
  }
  terminal.out(`${String(unhandled)} unhandled, ${String(overdue)} overdue`);
  if (event !== undefined) {
    const { tenant, id, type, attempts, storedAt, dueAt } = event;
    const whose = tenant === "" ? "" : `  tenant ${tenant}`;
    const times = `stored ${storedAt}  due ${dueAt}  ${timesOf(attempts)}`;
    terminal.out(printable(`oldest: ${id}${whose}  ${type}  ${times}`));
  }
  return overdue === 0;
}

const timesOf = (attempts: number): string =>
  `${String(attempts)} attempt${attempts === 1 ? "" : "s"}`;

/** `countersign inbox dead`: the events that were given up, the latest first. */
export async function runDead(
  command: InboxCommand & { readonly limit: number },
  { terminal, env }: Surroundings,
): Promise<void> {
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
  if (command.json) {
    terminal.out(printableJson({ events }));
    return;
  }
  for (const { tenant, id, type, attempts, reason, diedAt } of events) {
    const whose = tenant === "" ? "" : `  tenant ${tenant}`;
    terminal.out(printable(`${id}${whose}  ${type}  ${diedAt}  ${timesOf(attempts)}  ${reason}`));
  }
  const count = `${String(events.length)} dead event${events.length === 1 ? "" : "s"}`;
  terminal.err(events.length < command.limit ? count : `${count}, and there may be more: --limit`);
}

/**
 * `countersign inbox retry`: makes a dead event due now.
 *
 * @returns Whether there was one.
 */
export async function runRetry(
  command: InboxCommand & { readonly id: string; readonly tenant: string },
  { terminal, env }: Surroundings,
): Promise<boolean> {
  requireSchema(command);
  const { id, tenant } = command;
  const retried = await withInbox(command, { env, isMade: false }, ({ queue }) =>
    queue.retry({ key: { tenant, id }, now: Date.now() }),
  );
  if (command.json) terminal.out(printableJson({ tenant, id, retried }));
  else if (retried) terminal.err(`${printable(id)} is due now`);
  else terminal.err(`there is no dead event ${printable(id)}`);
  return retried;
}

/** PostgreSQL needs the schema; a SQLite file is one inbox. */
function requireSchema({ database, schema }: InboxPlace): void {
  if (schema === undefined ? database !== undefined : /^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    return;
  throw new Failure(
    "CS_CLI_ARGUMENT_UNUSABLE",
    `${schema === undefined ? "missing" : "invalid"} --schema: expected the schema of the service's inbox, of ` +
      "lower-case letters, digits and underscores, at most 63, e.g. --schema ledger",
  );
}

/** What an inbox makes of a new file, read off one. */
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
