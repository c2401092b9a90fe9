import type { Command } from "commander";
import type { Surroundings } from "../../terminal.ts";
import {
  administer,
  environmentHelp,
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
The newest first, without their secrets.

Examples:
  countersign serve admin subscriptions list --merchant mer_01J9ZG0006`;

const pauseHelp = `${environmentHelp}
Events for the subscription wait until it is resumed.

Examples:
  countersign serve admin subscriptions pause sub_01J9ZG0006`;

const resumeHelp = `${environmentHelp}
Deliveries that waited for the subscription are attempted, and its failures are counted from zero.

Examples:
  countersign serve admin subscriptions resume sub_01J9ZG0006 --by anna`;

interface ListOptions extends AdminOptions {
  readonly merchant: string | undefined;
  readonly limit: number;
}

/** `countersign serve admin subscriptions …`. */
export function addSubscriptionCommands(admin: Command, surroundings: Surroundings): void {
  const group = admin.command("subscriptions").description("List, pause and resume subscriptions");
  withDatabase(group.command("list").description("List subscriptions and their failures"))
    .option("--merchant <id>", "only this merchant's")
    .option("--limit <number>", "at most this many, up to 100000", limit, 100)
    .addHelpText("after", listHelp)
    .action(async (options: ListOptions) => {
      const rows = await administer(options, surroundings, ({ service, driver }) =>
        service.listSubscriptionHealth(driver, {
          merchantId: options.merchant,
          limit: options.limit,
        }),
      );
      const shown = rows.map((row) => ({
        key: row.key,
        merchantId: row.merchantId,
        status: row.status,
        failures: row.consecutiveFailures,
        failingSince: written(row.failingSince),
        lastSuccessAt: written(row.lastSuccessAt),
        url: row.url,
      }));
      printList(shown, options, surroundings);
    });
  withAsker(group.command("pause").description("Pause a subscription"))
    .argument("<key>", "the subscription's key")
    .addHelpText("after", pauseHelp)
    .action(async (key: string, options: ChangeOptions) => {
      const outcome = await administer(options, surroundings, ({ service, ports }) =>
        service.pauseSubscription(ports, { key, isPaused: true, askedBy: options.by }),
      );
      report(outcome, options, surroundings, () => [`${key} is paused`]);
    });
  withAsker(group.command("resume").description("Resume a paused subscription"))
    .argument("<key>", "the subscription's key")
    .addHelpText("after", resumeHelp)
    .action(async (key: string, options: ChangeOptions) => {
      const outcome = await administer(options, surroundings, ({ service, ports }) =>
        service.pauseSubscription(ports, { key, isPaused: false, askedBy: options.by }),
      );
      report(outcome, options, surroundings, () => [`${key} is active`]);
    });
}
