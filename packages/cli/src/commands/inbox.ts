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
  requireSchema(command.schema);
  if (command.print) {
    const statements =
      command.database === undefined
        ? postgresMigrations(command.schema).map(({ sql }) => sql)
        : await sqliteStatements();
    if (command.json) terminal.out(printableJson({ statements }));
    else for (const statement of statements) terminal.out(statement.trimEnd());
    return;
  }
  await withInbox(command, { env, isMade: true }, ({ migrate }) => migrate());
  if (command.json) terminal.out(printableJson({ migrated: true }));
  else terminal.err("the inbox is of this version");
}

/** `countersign inbox dead`: the events that were given up, the latest first. */
export async function runDead(
  command: InboxCommand & { readonly limit: number },
  { terminal, env }: Surroundings,
): Promise<void> {
  requireSchema(command.schema);
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
    const times = `${String(attempts)} attempt${attempts === 1 ? "" : "s"}`;
    terminal.out(printable(`${id}${whose}  ${type}  ${diedAt}  ${times}  ${reason}`));
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
  requireSchema(command.schema);
  const { id, tenant } = command;
  const retried = await withInbox(command, { env, isMade: false }, ({ queue }) =>
    queue.retry({ key: { tenant, id }, now: Date.now() }),
  );
  if (command.json) terminal.out(printableJson({ tenant, id, retried }));
  else if (retried) terminal.err(`${printable(id)} is due now`);
  else terminal.err(`there is no dead event ${printable(id)}`);
  return retried;
}

function requireSchema(schema: string): void {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) return;
  throw new Failure(
    "CS_CLI_ARGUMENT_UNUSABLE",
    "--schema must be a name of small letters, digits and underscores, at most 63",
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
