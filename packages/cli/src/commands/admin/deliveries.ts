import type { Replayed } from "@countersign/service/internal";
import { Option, type Command } from "commander";
import { Failure } from "../../failure.ts";
import type { Surroundings } from "../../terminal.ts";
import {
  administer,
  environmentHelp,
  instant,
  limit,
  printList,
  report,
  withAsker,
  withDatabase,
  written,
  type AdminOptions,
  type ChangeOptions,
} from "./administer.ts";

const listHelp = `${environmentHelp}
The newest first.

Examples:
  countersign serve admin deliveries list --state exhausted --merchant mer_01J9ZG0006`;

const replayHelp = `${environmentHelp}
Takes one of ID, --subscription and --failed-since. Deliveries keep their event's id. A running service attempts them
a few seconds later, a stopped one after its start. Those that wait already stay as they are.

Examples:
  countersign serve admin deliveries replay dlv_01J9ZG0006
  countersign serve admin deliveries replay --failed-since 2026-11-20T00:00:00Z --by anna`;

const trailHelp = `${environmentHelp}
One line a change by serve admin, the latest first; also what merchants replayed and resumed.

Examples:
  countersign serve admin trail --limit 20`;

interface ListOptions extends AdminOptions {
  readonly merchant: string | undefined;
  readonly subscription: string | undefined;
  readonly event: string | undefined;
  readonly state: (typeof states)[number] | undefined;
  readonly limit: number;
}

interface ReplayOptions extends ChangeOptions {
  readonly subscription: string | undefined;
  readonly failedSince: number | undefined;
  readonly merchant: string | undefined;
}

const states = ["waiting", "delivered", "exhausted", "dropped"] as const;

/** `countersign serve admin deliveries …`. */
export function addDeliveryCommands(admin: Command, surroundings: Surroundings): void {
  const group = admin.command("deliveries").description("List and replay deliveries");
  withDatabase(group.command("list").description("List deliveries"))
    .option("--merchant <id>", "only this merchant's")
    .option("--subscription <key>", "only this subscription's")
    .option("--event <id>", "only this event's")
    .addOption(new Option("--state <state>", "only in this state").choices(states))
    .option("--limit <number>", "at most this many, up to 100000", limit, 100)
    .addHelpText("after", listHelp)
    .action(async (options: ListOptions) => {
      const { merchant: merchantId, subscription: subscriptionKey, event: eventId } = options;
      const filter = { merchantId, subscriptionKey, eventId, state: options.state };
      const rows = await administer(options, surroundings, ({ service, driver }) =>
        service.listDeliveries(driver, { ...filter, limit: options.limit }),
      );
      const shown = rows.map(({ nextAt, createdAt, ...row }) => ({
        ...row,
        nextAt: written(nextAt),
        createdAt: written(createdAt),
      }));
      printList(shown, options, surroundings);
    });
  withAsker(group.command("replay").description("Attempt deliveries again"))
    .argument("[id]", "one delivery, in any state")
    .option("--subscription <key>", "all completed deliveries of a subscription")
    .option("--failed-since <time>", "all exhausted ones of events since, in UTC", instant)
    .option("--merchant <id>", "with --failed-since: only this merchant's")
    .addHelpText("after", replayHelp)
    .action(async (id: string | undefined, options: ReplayOptions) => {
      const order = {
        what: replayed(id, options),
        askedBy: options.by,
        merchantId: options.merchant,
      };
      const outcome = await administer(options, surroundings, ({ service, ports }) =>
        service.replayDeliveries(ports, order),
      );
      report(outcome, options, surroundings, ({ replayed: count }) => [`${count} due again`]);
    });
}

/** `countersign serve admin trail`: the audit log. */
export function addTrailCommand(admin: Command, surroundings: Surroundings): void {
  withDatabase(admin.command("trail").description("Show who changed what"))
    .option("--limit <number>", "lines at most, up to 100000", limit, 100)
    .addHelpText("after", trailHelp)
    .action(async (options: AdminOptions & { readonly limit: number }) => {
      const rows = await administer(options, surroundings, ({ service, driver }) =>
        service.listAudit(driver, options),
      );
      const shown = rows.map(({ at, ...row }) => ({ at: written(at), ...row }));
      printList(shown, options, surroundings);
    });
}

function replayed(
  id: string | undefined,
  { subscription, failedSince, merchant }: ReplayOptions,
): Replayed {
  const named = [id, subscription, failedSince].filter((one) => one !== undefined);
  if (named.length !== 1 || (merchant !== undefined && failedSince === undefined)) {
    throw new Failure(
      "CS_CLI_ARGUMENT_UNUSABLE",
      "expected one of ID, --subscription and --failed-since; --merchant goes with --failed-since",
    );
  }
  if (id !== undefined) return { kind: "delivery", id };
  if (subscription !== undefined) return { kind: "subscription", id: subscription };
  return { kind: "failed", since: failedSince ?? 0 };
}
