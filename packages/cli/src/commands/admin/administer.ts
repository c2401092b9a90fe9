import { userInfo } from "node:os";
import { InvalidArgumentError, Option, type Command } from "commander";
import * as service from "@countersign/service/internal";
import { asFailure, serviceDatabase } from "../../database.ts";
import { loadProfile } from "../../profile.ts";
import { printable, printableJson } from "../../printable.ts";
import type { Surroundings } from "../../terminal.ts";

/** Options of every command of `serve admin`. */
export interface AdminOptions {
  readonly database: string | undefined;
  readonly json: boolean | undefined;
}

/** Options of the commands that change something. */
export interface ChangeOptions extends AdminOptions {
  readonly by: string;
}

export const environmentHelp = `
Works on the database of countersign serve, which may be running.

Environment (also as NAME_FILE, the path of a file that holds it):
  COUNTERSIGN_DATABASE_URL   postgres://… instead of the SQLite file
`;

export function withDatabase(command: Command): Command {
  return command
    .option("--database <file>", "SQLite file (default: .countersign/service.db)")
    .option("--json", "print JSON instead of text");
}

export function withAsker(command: Command): Command {
  return withDatabase(command).addOption(
    new Option("--by <name>", "your name, for the audit log")
      .argParser(askerName)
      .default(osUser(), "the OS user"),
  );
}

/** `--profile`, for commands that depend on scopes, events or amounts. */
export function withProfile(command: Command): Command {
  return command.option("--profile <name|file>", "the profile of the service", "standard");
}

/** The service's parts that a command works with while the database is open. */
export interface Administration {
  readonly service: typeof service;
  readonly driver: service.Driver;
  /** For `replayDeliveries` and `pauseSubscription`. */
  readonly ports: Parameters<typeof service.replayDeliveries>[0];
  readonly useCases: service.UseCases;
  readonly policy: service.Policy;
}

/**
 * Runs `run` on the service's database, with its tables up to date, and closes it. Running processes learn of deliveries.
 *
 * @param options `profile`: default `standard`, for what does not depend on it. `createsDatabase`: default false, so that
 *   a misspelt file is an error.
 * @throws {Failure} The database cannot be used, or the profile is unknown.
 */
export async function administer<T>(
  options: AdminOptions & { readonly profile?: string; readonly createsDatabase?: boolean },
  { env }: Surroundings,
  run: (administration: Administration) => Promise<T>,
): Promise<T> {
  const profile = await loadProfile(options.profile ?? "standard");
  const mustExist = options.createsDatabase !== true;
  const database = await serviceDatabase(options.database, env, { mustExist });
  const driver = await database.open();
  try {
    const clock = service.systemClock;
    await service.migrate(driver, { now: clock.now() });
    // Running processes use the stored clock, which may differ from this machine's.
    const due = await service.dueInstantOf(driver, clock, "live");
    const dueClock = new service.DueClock({ ...clock, now: () => due });
    let isWork = false;
    const onWork = (): void => void (isWork = true);
    const { useCases } = service.createService({ driver, profile, dueClock, onWork });
    const ports = { driver, clock, onWork };
    const policy = service.policyOf(profile);
    const outcome = await run({ service, driver, ports, useCases, policy });
    // Without a notification they find it some seconds later.
    if (isWork) await service.hintAtAnything(driver).catch(() => {});
    return outcome;
  } catch (error) {
    throw asFailure(error);
  } finally {
    await driver.close();
  }
}

const refusals = {
  CLIENT_NOT_FOUND: "client not found",
  CLIENT_REVOKED: "the client is revoked",
  CUSTOMER_ID_TAKEN: "another customer has this id",
  CUSTOMER_NOT_FOUND: "customer not found",
  CUSTOMER_NOT_LINKED: "the customer has no linked account",
  DELIVERY_NOT_FOUND: "delivery not found",
  DUPLICATE_REQUEST_KEY: "another payment or refund has this request key",
  INVALID_TRANSITION: "the payment's status does not permit this",
  MERCHANT_NOT_FOUND: "merchant not found",
  PAYMENT_ID_TAKEN: "another payment has this id",
  PAYMENT_NOT_FOUND: "payment not found",
  SETTLED_AT_OUT_OF_RANGE: "the time is before the payment's creation or in the future",
  SUBSCRIPTION_CLOSED: "the subscription is closed",
  SUBSCRIPTION_NOT_FOUND: "subscription not found",
} as const;

export type RefusalCode = keyof typeof refusals;

/** The sentence for a refusal. */
export const refusalText = (code: RefusalCode): string => refusals[code];

/**
 * Prints the result of a command. Exits with 1 if it was refused, and prints the reason.
 *
 * @param lines Returns the text for people.
 */
export function report<
  Outcome extends { readonly ok: true } | { readonly ok: false; readonly code: RefusalCode },
>(
  outcome: Outcome,
  { json }: AdminOptions,
  { terminal, unmet }: Surroundings,
  lines: (outcome: Extract<Outcome, { ok: true }>) => readonly string[],
): void {
  if (!outcome.ok) {
    if (json === true) terminal.out(printableJson(outcome));
    else terminal.err(`${outcome.code}: ${refusals[outcome.code]}`);
    return unmet();
  }
  // The cast: `ok` is true, and TypeScript does not narrow a type parameter.
  const text = lines(outcome as Extract<Outcome, { ok: true }>);
  if (json === true) terminal.out(printableJson(outcome));
  else for (const line of text) terminal.out(line);
}

/** Prints a list: aligned columns with a header, or one JSON array. */
export function printList(
  rows: readonly Readonly<Record<string, string | number | boolean | null>>[],
  { json }: AdminOptions,
  { terminal }: Surroundings,
): void {
  if (json === true) return terminal.out(printableJson(rows));
  const [first] = rows;
  if (first === undefined) return terminal.err("none");
  const head = Object.keys(first);
  const cells = rows.map((row) => head.map((name) => printable(String(row[name] ?? "-"))));
  const widths = head.map((name, at) =>
    Math.max(name.length, ...cells.map((row) => row[at]?.length ?? 0)),
  );
  for (const row of [head, ...cells]) {
    terminal.out(
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    );
  }
}

/** A time for people and programs; `null` stays. */
export const written = (at: number | null): string | null =>
  at === null ? null : new Date(at).toISOString();

/** The value of an option that is a time in UTC, in milliseconds. */
export function instant(text: string): number {
  const at = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new InvalidArgumentError("expected a time in UTC such as 2026-11-20T00:00:00Z.");
}

export function limit(text: string): number {
  const number = Number(text);
  if (/^\d{1,6}$/.test(text) && number >= 1 && number <= 100_000) return number;
  throw new InvalidArgumentError("expected an integer from 1 to 100000.");
}

function askerName(text: string): string {
  if (/^[\x20-\x7E]{1,64}$/.test(text)) return text;
  throw new InvalidArgumentError("expected 1 to 64 printable ASCII characters.");
}

/** `operator` if the system has no user of this id, as in some containers, or one with an unusual name. */
function osUser(): string {
  try {
    const { username } = userInfo();
    return /^[\x20-\x7E]{1,64}$/.test(username) ? username : "operator";
  } catch {
    return "operator";
  }
}
