import {
  listDeliveries,
  pauseSubscription,
  replayDeliveries,
  type Replayed,
} from "@countersign/service/internal";
import { InvalidArgumentError, Option, type Command } from "commander";
import { badArgument } from "../failure.ts";
import { integer } from "../options.ts";
import { printable, printableJson } from "../printable.ts";
import type { Surroundings } from "../terminal.ts";
import { databaseHelp, withServiceData, type DataOptions } from "./service-data.ts";

const states = ["waiting", "delivered", "exhausted", "dropped"] as const;

const replayNotes = `
Takes one of ID, --subscription and --failed-since. Deliveries keep their event's id. A running service attempts them
a few seconds later, a stopped one after its start. Those that wait already stay as they are.
`;

/** `countersign serve deliveries …`. */
export function addDeliveries(serve: Command, surroundings: Surroundings): void {
  const group = serve
    .command("deliveries")
    .description("List, replay, pause and resume deliveries");
  const add = (name: string, summary: string, { notes = "", example = "" }): Command =>
    group
      .command(name)
      .description(summary)
      .option("--database <file>", "SQLite file (default: .countersign/service.db)")
      .option("--json", "print JSON instead of text")
      .addHelpText("after", `${notes}${databaseHelp}  countersign serve deliveries ${example}`);
  add("list", "List deliveries, the newest first", { example: "list --state exhausted" })
    .option("--merchant <id>", "only this merchant's")
    .option("--subscription <key>", "only this subscription's")
    .option("--event <id>", "only this event's")
    .addOption(new Option("--state <state>", "only in this state").choices(states))
    .option("--limit <number>", "at most this many, up to 100000", integer(1, 100_000), 100)
    .action((options: ListOptions) => list(options, surroundings));
  add("replay", "Attempt deliveries again", {
    notes: replayNotes,
    example: "replay --failed-since 2026-11-20T00:00:00Z",
  })
    .argument("[id]", "one delivery, in any state")
    .option("--subscription <key>", "all completed deliveries of a subscription")
    .option("--failed-since <time>", "all exhausted ones of events since, in UTC", instant)
    .option("--merchant <id>", "with --failed-since: only this merchant's")
    .action((id: string | undefined, options: ReplayOptions) => replay(id, options, surroundings));
  add("pause", "Pause a subscription's deliveries", { example: "pause sub_01J9ZG0006" })
    .argument("<key>", "the subscription's key")
    .action((key: string, options: DataOptions) =>
      pause(options, surroundings, { key, isPaused: true }),
    );
  add("resume", "Resume a subscription's deliveries, with its failures at zero", {
    example: "resume sub_01J9ZG0006",
  })
    .argument("<key>", "the subscription's key")
    .action((key: string, options: DataOptions) =>
      pause(options, surroundings, { key, isPaused: false }),
    );
}

interface ListOptions extends DataOptions {
  readonly merchant: string | undefined;
  readonly subscription: string | undefined;
  readonly event: string | undefined;
  readonly state: (typeof states)[number] | undefined;
  readonly limit: number;
}

/** Prints aligned columns with a header, or one JSON array. */
async function list(options: ListOptions, surroundings: Surroundings): Promise<void> {
  const { merchant: merchantId, subscription: subscriptionKey, event: eventId } = options;
  const filter = {
    merchantId,
    subscriptionKey,
    eventId,
    state: options.state,
    limit: options.limit,
  };
  const found = await withServiceData(options, surroundings, ({ driver }) =>
    listDeliveries(driver, filter),
  );
  const { terminal } = surroundings;
  const written = (at: number | null): string | null =>
    at === null ? null : new Date(at).toISOString();
  const rows = found.map((row) => ({
    ...row,
    nextAt: written(row.nextAt),
    createdAt: written(row.createdAt),
  }));
  if (options.json === true) return terminal.out(printableJson(rows));
  const [first] = rows;
  if (first === undefined) return terminal.err("none");
  const table = [
    Object.keys(first),
    ...rows.map((row) => Object.values(row).map((cell) => printable(String(cell ?? "-")))),
  ];
  const widths = Object.keys(first).map((_, at) =>
    Math.max(...table.map((cells) => cells[at]?.length ?? 0)),
  );
  for (const cells of table)
    terminal.out(
      cells
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}

interface ReplayOptions extends DataOptions {
  readonly subscription: string | undefined;
  readonly failedSince: number | undefined;
  readonly merchant: string | undefined;
}

async function replay(
  id: string | undefined,
  options: ReplayOptions,
  surroundings: Surroundings,
): Promise<void> {
  const order = { what: replayed(id, options), merchantId: options.merchant };
  const outcome = await withServiceData(options, surroundings, (ports) =>
    replayDeliveries(ports, order),
  );
  report(outcome, options, surroundings, ({ replayed: count }) => `${count} due again`);
}

function replayed(
  id: string | undefined,
  { subscription, failedSince, merchant }: ReplayOptions,
): Replayed {
  // An empty ID counts: a variable of a script that is not set must not replay everything.
  const named = [id, subscription, failedSince].filter((one) => one !== undefined);
  if (named.length !== 1 || (merchant !== undefined && failedSince === undefined)) {
    throw badArgument(
      "expected one of ID, --subscription and --failed-since; --merchant goes with --failed-since",
    );
  }
  if (subscription !== undefined) return { kind: "subscription", id: subscription };
  if (failedSince !== undefined) return { kind: "failed", since: failedSince };
  return { kind: "delivery", id: id ?? "" };
}

/** The value of an option that is a time in UTC, in milliseconds. */
function instant(text: string): number {
  const isUtc = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z$/.test(text);
  const at = isUtc ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new InvalidArgumentError("expected a time in UTC such as 2026-11-20T00:00:00Z.");
}

async function pause(
  options: DataOptions,
  surroundings: Surroundings,
  change: { readonly key: string; readonly isPaused: boolean },
): Promise<void> {
  const outcome = await withServiceData(options, surroundings, (ports) =>
    pauseSubscription(ports, change),
  );
  const state = change.isPaused ? "paused" : "active";
  report(outcome, options, surroundings, () => `${change.key} is ${state}`);
}

const refusals = {
  DELIVERY_NOT_FOUND: "delivery not found",
  MERCHANT_NOT_FOUND: "merchant not found",
  SUBSCRIPTION_CLOSED: "the subscription is closed",
  SUBSCRIPTION_NOT_FOUND: "subscription not found",
} as const;

/** Prints the outcome of a command. Exits with 1 if it was refused, and prints the reason. */
function report<Done extends { readonly ok: true }>(
  outcome: Done | { readonly ok: false; readonly code: keyof typeof refusals },
  { json }: DataOptions,
  { terminal, unmet }: Surroundings,
  text: (done: Done) => string,
): void {
  if (!outcome.ok) unmet();
  if (json === true) terminal.out(printableJson(outcome));
  else if (outcome.ok) terminal.out(text(outcome));
  else terminal.err(`${outcome.code}: ${refusals[outcome.code]}`);
}
