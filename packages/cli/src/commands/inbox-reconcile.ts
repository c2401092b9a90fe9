import { type Finding, ListError } from "@countersign/receiver";
import { define } from "../command.ts";
import { requiredFrom } from "../environment.ts";
import { Failure } from "../failure.ts";
import { inboxPlace, withInbox } from "../inbox-database.ts";
import * as option from "../options.ts";
import { terminalLine } from "@countersign/rules";
import { loadProvider } from "../provider.ts";

const help = `
Reads the provider's own list of events and prints each one that never arrived, whose handler has not succeeded, that is
dead, or that is only here. Nothing is written. --redeliver asks the provider for those that never arrived and those that
are unhandled, where it has such a call: they arrive signed. Without it, receiver.reconcile in your app handles them.

Exits with 0 if every listed event is handled, 1 if one is not, 2 if the list cannot be read to its end. Begin within the
receiver's retention (30 days by default), and not before the inbox was in use.

Environment (also as NAME_FILE, the path of a file that holds it):
  COUNTERSIGN_DATABASE_URL      postgres://… of the inbox
  COUNTERSIGN_<PROVIDER>_TOKEN  bearer token of the provider's API, as its document names it

Examples:
  countersign inbox reconcile --provider stripe --since 25h --database inbox.db
  countersign inbox reconcile --provider stripe --since 3d --account acct_1 acct_2 --schema ledger --json
  countersign inbox reconcile --provider github --since 24h --redeliver --database inbox.db --list-url https://api.github.com/repos/acme/shop/hooks/12345/deliveries`;

/** `countersign inbox reconcile`. */
export const reconcile = define({
  options: {
    ...inboxPlace,
    json: option.json,
    provider: option.required(option.provider),
    since: option.required(option.time("first time: as 90m, 25h, 3d, or RFC 3339")),
    until: option.time("last time (default: 5m)"),
    overlap: option.integer(
      "<seconds>",
      "list this long before --since (default: retries)",
      [0, 31_536_000],
    ),
    listUrl: option.text("<url>", "address of the list instead of the document's"),
    account: option.words("<id...>", "connected accounts to read too"),
    tenant: option.text("<name>", "the events' tenant, with several tenants"),
    type: option.words("<type...>", "types that your endpoint gets"),
    redeliver: option.flag("ask the provider to deliver what is missing"),
  },
  help,
  run: (command, surroundings) =>
    withInbox(command, surroundings, async (inbox) => {
      const { terminal, env } = surroundings;
      const { since, until, overlap, tenant = "", type: types, account, json } = command;
      const { compareInbox, eventList, redelivery } = await import("@countersign/receiver");
      const provider = await loadProvider(command.provider);
      const { list, title } = provider;
      const about = `a bearer token of ${title}'s API`;
      // Without a list, `eventList` says so.
      const token = list === undefined ? "" : await requiredFrom(env, list.token, about);
      const options = { token, url: command.listUrl, accounts: account && ["", ...account] };
      let redelivered = 0;
      try {
        const redeliver = command.redeliver === true ? redelivery(provider, options) : undefined;
        const onFinding = async (finding: Finding): Promise<void> => {
          const { kind, redeliverId } = finding;
          const isMissing = kind === "never-arrived" || kind === "unhandled";
          if (isMissing && redeliver !== undefined && redeliverId !== undefined) {
            await redeliver(redeliverId);
            redelivered += 1;
          }
          if (json === true) terminal.json(shown(finding));
          else terminal.out(lineOf(finding));
        };
        const overlapMs = overlap === undefined ? undefined : overlap * 1000;
        const onProgress = (read: number): void => terminal.progress?.(`${read} events read`);
        const counts = await compareInbox(
          eventList(provider, options),
          { since, until, overlapMs, tenant, types, onFinding, onProgress },
          { provider, inbox, now: Date.now() },
        );
        const { listed, handled, neverArrived, unhandled, dead, onlyHere } = counts;
        if (json === true) terminal.json({ ...counts, redelivered });
        else
          terminal.err(
            `${listed} listed, ${handled} handled, ${neverArrived} never arrived, ${unhandled} unhandled, ` +
              `${dead} dead, ${onlyHere ?? "unknown"} only here` +
              (redeliver === undefined ? "" : `, ${redelivered} asked for again`),
          );
        return handled >= listed;
      } catch (cause) {
        if (!(cause instanceof ListError || cause instanceof TypeError)) throw cause;
        throw new Failure("CS_CLI_LIST_UNUSABLE", terminalLine(cause.message), cause);
      }
    }),
});

const shown = ({ kind, key, type, time }: Finding) => ({
  kind,
  ...key,
  type,
  time: time === undefined ? null : new Date(time).toISOString(),
});

function lineOf(finding: Finding): string {
  const { kind, id, type, time } = shown(finding);
  return `${kind.replace("-", " ").padEnd(13)}  ${id}  ${type}  ${time ?? "-"}`;
}
