import type { EventKey, InboxQueue } from "@countersign/receiver";
import { type Declare, define } from "../command.ts";
import { inboxPlace, withInbox } from "../inbox-database.ts";
import * as option from "../options.ts";
import { reconcile } from "./inbox-reconcile.ts";

const environment = `
The inbox is the receiver's record of events: in PostgreSQL where the variable names it, else in the SQLite
file of --database.

Environment (also as NAME_FILE, the path of a file that holds it):
  COUNTERSIGN_DATABASE_URL   postgres://… of the inbox
`;

const statusHelp = `${environment}
Counts stored events that no worker has handled, and those that have been due for too long, and prints the one
that was stored first. Exits with 1 if an event is overdue.

Examples:
  countersign inbox status --database inbox.db
  countersign inbox status --schema ledger --overdue-after 300 --json`;

const deadHelp = `${environment}
Prints one line an event, the latest first: provider, id, type (unless the id ends in it), when and after how many
attempts it was given up, why.

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

const own = { ...inboxPlace, json: option.json };
const ofTenant = option.text("<name>", "the event's tenant, with several tenants");

const status = define({
  options: {
    ...own,
    overdueAfter: option.integer(
      "<seconds>",
      "age at which a due event is overdue",
      [0, 999_999_999],
      120,
    ),
  },
  help: statusHelp,
  run: async ({ overdueAfter, json, ...place }, surroundings) => {
    const { terminal } = surroundings;
    const dueBefore = Date.now() - overdueAfter * 1000;
    const { unhandled, overdue, oldest } = await withInbox(place, surroundings, ({ queue }) =>
      queue.status({ dueBefore }),
    );
    const event = oldest && {
      ...oldest.key,
      type: oldest.type,
      attempts: oldest.attempts,
      storedAt: printed(oldest.storedAt),
      dueAt: printed(oldest.dueAt),
    };
    if (json === true) terminal.json({ unhandled, overdue, oldest: event ?? null });
    else {
      terminal.out(`${String(unhandled)} unhandled, ${String(overdue)} overdue`);
      if (event !== undefined) {
        const times = `stored ${event.storedAt}  due ${event.dueAt}  ${timesOf(event.attempts)}`;
        terminal.out(`oldest: ${typedTextOf(event)}  ${times}`);
      }
    }
    return overdue === 0;
  },
});

/** Prints the latest first. */
const dead = define({
  options: {
    ...own,
    limit: option.integer("<number>", "maximum number of events", [1, 100_000], 100),
  },
  help: deadHelp,
  run: async ({ limit, json, ...place }, surroundings) => {
    const { terminal } = surroundings;
    const found = await withInbox(place, surroundings, ({ queue }) => queue.dead({ limit }));
    const events = found.map(({ key, diedAt, ...facts }) => ({
      ...key,
      ...facts,
      diedAt: printed(diedAt),
    }));
    if (json === true) return terminal.json({ events });
    for (const { attempts, reason, diedAt, ...event } of events)
      terminal.out(`${typedTextOf(event)}  ${diedAt}  ${timesOf(attempts)}  ${reason}`);
    const count = `${String(events.length)} dead event${events.length === 1 ? "" : "s"}`;
    terminal.err(events.length < limit ? count : `${count}, and there may be more: --limit`);
  },
});

const printed = (at: number): string => new Date(at).toISOString();
const timesOf = (attempts = 0): string => `${String(attempts)} attempt${attempts === 1 ? "" : "s"}`;

/** The outcome of a change of one event. */
interface Changed {
  readonly isDone: boolean;
  /** Members of its JSON object. */
  readonly facts: object;
  /** Follows the event's key in a sentence. */
  readonly sentence: string;
}

/** A command that changes one event. */
const changing = (
  about: string,
  change: (queue: InboxQueue, order: { key: EventKey; now: number }) => Promise<Changed>,
): Declare =>
  define({
    args: {
      "<provider>": "name of the provider, as printed by dead",
      "<id...>": "event id, as printed by dead",
    },
    options: { ...own, tenant: ofTenant },
    help: about,
    run: async (
      { tenant = "", json, ...place },
      surroundings,
      { args: [provider = "", ...id] },
    ) => {
      const key = { provider, tenant, id: id.join(" ") };
      const { isDone, facts, sentence } = await withInbox(place, surroundings, ({ queue }) =>
        change(queue, { key, now: Date.now() }),
      );
      if (json === true) surroundings.terminal.json({ ...key, ...facts });
      else surroundings.terminal.err(`${textOf(key)} ${sentence}`);
      return isDone;
    },
  });

const retry = changing(retryHelp, async (queue, order) => {
  const retried = await queue.retry(order);
  const sentence = retried ? "is due now" : "is not a dead event";
  return { isDone: retried, facts: { retried }, sentence };
});

const erased = {
  erased: "is erased",
  busy: "is being handled: try again later",
  unknown: "is not in the inbox",
};
const erase = changing(eraseHelp, async (queue, order) => {
  const result = await queue.erase(order);
  return { isDone: result === "erased", facts: { result }, sentence: erased[result] };
});

/** `countersign inbox …`. */
export const definition = define({
  below: {
    status: ["Count unhandled and overdue events", status],
    dead: ["List events whose attempts are used up", dead],
    reconcile: ["Find events that never arrived", reconcile],
    retry: ["Retry a dead event now", retry],
    erase: ["Erase a stored event's body", erase],
  },
});

const textOf = ({ provider, tenant, id }: EventKey): string =>
  tenant === "" ? `${provider} ${id}` : `${provider} ${id}  tenant ${tenant}`;

/** An id that the provider does not sign is stored with the type after it. */
const typedTextOf = ({ type, ...key }: EventKey & { readonly type: string }): string =>
  key.id.endsWith(` ${type}`) ? textOf(key) : `${textOf(key)}  ${type}`;
