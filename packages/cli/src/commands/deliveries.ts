import {
  listDeliveries,
  pauseSubscription,
  replayDeliveries,
  type Replayed,
} from "@countersign/service";
import { type Declare, define } from "../command.ts";
import { dataHelp, withServiceData } from "../database.ts";
import { badArgument } from "../failure.ts";
import * as option from "../options.ts";
import { inColumns, type Surroundings } from "../terminal.ts";

const states = ["waiting", "delivered", "exhausted", "dropped"] as const;

const own = {
  database: option.serviceDatabase,
  json: option.flag("print JSON instead of text"),
};
const helpOf = (example: string, notes = ""): string =>
  `${notes}${dataHelp}  countersign serve deliveries ${example}`;

const list = define({
  options: {
    ...own,
    merchant: option.text("<id>", "only this merchant's"),
    subscription: option.text("<key>", "only this subscription's"),
    event: option.text("<id>", "only this event's"),
    state: option.choice("<state>", "only in this state", states),
    limit: option.integer("<number>", "at most this many, up to 100000", [1, 100_000], 100),
  },
  help: helpOf("list --state exhausted"),
  run: async ({ merchant, subscription, event, state, limit, ...options }, surroundings) => {
    const { terminal } = surroundings;
    const filter = { merchantId: merchant, subscriptionKey: subscription, eventId: event };
    const found = await withServiceData(options, surroundings, ({ driver }) =>
      listDeliveries(driver, { ...filter, state, limit }),
    );
    const rows = found.map(({ nextAt, createdAt, ...row }) => ({
      ...row,
      nextAt: nextAt === null ? null : new Date(nextAt).toISOString(),
      createdAt: new Date(createdAt).toISOString(),
    }));
    if (options.json === true) return terminal.json(rows);
    const [first] = rows;
    if (first === undefined) return terminal.err("none");
    const cells = rows.map((row) => Object.values(row).map((cell) => String(cell ?? "-")));
    for (const line of inColumns([Object.keys(first), ...cells])) terminal.out(line);
  },
});

const replayNotes = `
Takes one of ID, --subscription and --failed-since. Deliveries keep their event's id. A running service attempts them
a few seconds later, a stopped one after its start. Those that wait already stay as they are.
`;

const replay = define({
  args: { "[id]": "one delivery, in any state" },
  options: {
    ...own,
    subscription: option.text("<key>", "all completed deliveries of a subscription"),
    failedSince: option.time("all exhausted ones of events since"),
    merchant: option.text("<id>", "with --failed-since: only this merchant's"),
  },
  help: helpOf("replay --failed-since 2026-11-20T00:00:00Z", replayNotes),
  run: async ({ merchant, subscription, failedSince, ...options }, surroundings, { args }) => {
    // An empty ID counts: a variable of a script that is not set must not replay everything.
    const [id] = args;
    const asked: readonly Replayed[] = [
      ...(id === undefined ? [] : [{ kind: "delivery", id } as const]),
      ...(subscription === undefined ? [] : [{ kind: "subscription", id: subscription } as const]),
      ...(failedSince === undefined ? [] : [{ kind: "failed", since: failedSince } as const]),
    ];
    const [what, ...more] = asked;
    const isScoped = merchant !== undefined && failedSince === undefined;
    if (what === undefined || more.length > 0 || isScoped)
      throw badArgument(
        "expected one of ID, --subscription and --failed-since; --merchant goes with --failed-since",
      );
    const outcome = await withServiceData(options, surroundings, (ports) =>
      replayDeliveries(ports, { what, merchantId: merchant }),
    );
    const result = outcome.ok ? `${outcome.replayed} due again` : "";
    return report(outcome, result, { ...surroundings, json: options.json });
  },
});

const pausing = (isPaused: boolean): Declare =>
  define({
    args: { "<key>": "the subscription's key" },
    options: own,
    help: helpOf(`${isPaused ? "pause" : "resume"} sub_01J9ZG0006`),
    run: async (options, surroundings, { args: [key = ""] }) => {
      const outcome = await withServiceData(options, surroundings, (ports) =>
        pauseSubscription(ports, { key, isPaused }),
      );
      const result = `${key} is ${isPaused ? "paused" : "active"}`;
      return report(outcome, result, { ...surroundings, json: options.json });
    },
  });

const refusals = {
  DELIVERY_NOT_FOUND: "delivery not found",
  MERCHANT_NOT_FOUND: "merchant not found",
  SUBSCRIPTION_CLOSED: "the subscription is closed",
  SUBSCRIPTION_NOT_FOUND: "subscription not found",
} as const;

/** Prints the outcome of a change. @returns False if it was refused. */
function report(
  outcome: { readonly ok: true } | { readonly ok: false; readonly code: keyof typeof refusals },
  result: string,
  { terminal, json }: Pick<Surroundings, "terminal"> & { readonly json: boolean | undefined },
): boolean {
  if (json === true) terminal.json(outcome);
  else if (outcome.ok) terminal.out(result);
  else terminal.err(`${outcome.code}: ${refusals[outcome.code]}`);
  return outcome.ok;
}

/** `countersign serve deliveries …`. */
export const deliveries = define({
  below: {
    list: ["List deliveries, the newest first", list],
    replay: ["Attempt deliveries again", replay],
    pause: ["Pause a subscription's deliveries", pausing(true)],
    resume: ["Resume a subscription's deliveries, with its failures at zero", pausing(false)],
  },
});
