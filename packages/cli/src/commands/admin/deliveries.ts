import type { Replayed } from "@countersign/service/internal";
import { Option, type Command } from "commander";
import { badArgument } from "../../failure.ts";
import { integer } from "../../options.ts";
import type { Surroundings } from "../../terminal.ts";
import { administer, report, type AdminOptions } from "./administer.ts";
import { addAsked, addChange, addList, instant, written, type ChangeOptions } from "./declare.ts";

const atMost = (command: Command, description = "at most this many, up to 100000"): Command =>
  command.option("--limit <number>", description, integer(1, 100_000), 100);

/** `countersign serve admin subscriptions …`. */
export function addSubscriptionCommands(admin: Command, surroundings: Surroundings): void {
  const group = admin.command("subscriptions").description("List, pause and resume subscriptions");
  interface ListOptions extends AdminOptions {
    readonly merchant: string | undefined;
    readonly limit: number;
  }
  addList(group, surroundings, {
    name: "list",
    summary: "List subscriptions and their failures",
    notes: "The newest first, without their secrets.",
    examples: ["subscriptions list --merchant mer_01J9ZG0006"],
    declare: (command) => atMost(command.option("--merchant <id>", "only this merchant's")),
    rows: async ({ service, driver }, { merchant: merchantId, limit }: ListOptions) =>
      (await service.listSubscriptionHealth(driver, { merchantId, limit })).map((row) => ({
        key: row.key,
        merchantId: row.merchantId,
        status: row.status,
        failures: row.consecutiveFailures,
        failingSince: written(row.failingSince),
        lastSuccessAt: written(row.lastSuccessAt),
        url: row.url,
      })),
  });
  const withKey = (command: Command): Command =>
    command.argument("<key>", "the subscription's key");
  addChange(group, surroundings, {
    name: "pause",
    summary: "Pause a subscription",
    notes: "Events for the subscription wait until it is resumed.",
    examples: ["subscriptions pause sub_01J9ZG0006"],
    declare: withKey,
    run: ({ service, ports }, { by }: ChangeOptions, key) =>
      service.pauseSubscription(ports, { key, isPaused: true, askedBy: by }),
    lines: (_, key) => [`${key} is paused`],
  });
  addChange(group, surroundings, {
    name: "resume",
    summary: "Resume a paused subscription",
    notes:
      "Deliveries that waited for the subscription are attempted, and its failures are counted from zero.",
    examples: ["subscriptions resume sub_01J9ZG0006 --by anna"],
    declare: withKey,
    run: ({ service, ports }, { by }: ChangeOptions, key) =>
      service.pauseSubscription(ports, { key, isPaused: false, askedBy: by }),
    lines: (_, key) => [`${key} is active`],
  });
}

const states = ["waiting", "delivered", "exhausted", "dropped"] as const;

/** `countersign serve admin deliveries …`. */
export function addDeliveryCommands(admin: Command, surroundings: Surroundings): void {
  const group = admin.command("deliveries").description("List and replay deliveries");
  interface ListOptions extends AdminOptions {
    readonly merchant: string | undefined;
    readonly subscription: string | undefined;
    readonly event: string | undefined;
    readonly state: (typeof states)[number] | undefined;
    readonly limit: number;
  }
  addList(group, surroundings, {
    name: "list",
    summary: "List deliveries",
    notes: "The newest first.",
    examples: ["deliveries list --state exhausted --merchant mer_01J9ZG0006"],
    declare: (command) =>
      atMost(
        command
          .option("--merchant <id>", "only this merchant's")
          .option("--subscription <key>", "only this subscription's")
          .option("--event <id>", "only this event's")
          .addOption(new Option("--state <state>", "only in this state").choices(states)),
      ),
    rows: async ({ service, driver }, options: ListOptions) => {
      const { merchant: merchantId, subscription: subscriptionKey, event: eventId } = options;
      const { state, limit } = options;
      const filter = { merchantId, subscriptionKey, eventId, state, limit };
      return (await service.listDeliveries(driver, filter)).map((row) => ({
        ...row,
        nextAt: written(row.nextAt),
        createdAt: written(row.createdAt),
      }));
    },
  });
  addAsked(group, {
    name: "replay",
    summary: "Attempt deliveries again",
    notes: `Takes one of ID, --subscription and --failed-since. Deliveries keep their event's id. A running service attempts them
a few seconds later, a stopped one after its start. Those that wait already stay as they are.`,
    examples: [
      "deliveries replay dlv_01J9ZG0006",
      "deliveries replay --failed-since 2026-11-20T00:00:00Z --by anna",
    ],
    declare: (command) =>
      command
        .argument("[id]", "one delivery, in any state")
        .option("--subscription <key>", "all completed deliveries of a subscription")
        .option("--failed-since <time>", "all exhausted ones of events since, in UTC", instant)
        .option("--merchant <id>", "with --failed-since: only this merchant's"),
    run: async (options: ReplayOptions, id) => {
      const { by: askedBy, merchant: merchantId } = options;
      const order = { what: replayed(id, options), askedBy, merchantId };
      const outcome = await administer(options, surroundings, ({ service, ports }) =>
        service.replayDeliveries(ports, order),
      );
      report(outcome, options, surroundings, ({ replayed: count }) => [`${count} due again`]);
    },
  });
}

interface ReplayOptions extends ChangeOptions {
  readonly subscription: string | undefined;
  readonly failedSince: number | undefined;
  readonly merchant: string | undefined;
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

/** `countersign serve admin trail`: the audit log. */
export function addTrailCommand(admin: Command, surroundings: Surroundings): void {
  addList(admin, surroundings, {
    name: "trail",
    summary: "Show who changed what",
    notes:
      "One line a change by serve admin, the latest first; also what merchants replayed and resumed.",
    examples: ["trail --limit 20"],
    declare: (command) => atMost(command, "lines at most, up to 100000"),
    rows: async ({ service, driver }, options: AdminOptions & { readonly limit: number }) =>
      (await service.listAudit(driver, options)).map(({ at, ...row }) => ({
        at: written(at),
        ...row,
      })),
  });
}
