import { type Command, InvalidArgumentError } from "commander";
import type { OperatedService } from "../commands/serve-deliveries.ts";
import { Failure } from "../failure.ts";
import type { Surroundings } from "../terminal.ts";

const environment = `
Works on the database, beside services that run or none.

Environment (also as NAME_FILE, the path of a file that holds it):
  COUNTERSIGN_DATABASE_URL   postgres://… instead of the SQLite file
`;

const replayHelp = `${environment}
Takes one of --delivery, --subscription and --failed-since. What is named is due at once and goes out within
the caps that hold for all; what waits already stays as it is. Ends with 1 where there is none of that name.

Examples:
  countersign serve replay --delivery dlv_01J9ZG0006
  countersign serve replay --failed-since 2026-11-20T00:00:00Z --by anna`;

const resumeHelp = `${environment}
What has waited for the subscription is attempted, and its failures are counted from the beginning.
Ends with 1 where there is no such subscription, or it is closed.

Examples:
  countersign serve resume sub_01J9ZG0006 --by anna`;

const trailHelp = `${environment}
Prints one line a replayed delivery or resumed subscription, the latest first: when, what, its id, its
merchant, what it was until then, who asked.

Examples:
  countersign serve trail --limit 20`;

interface Options {
  readonly database: string | undefined;
  readonly json: boolean | undefined;
  readonly by: string;
}

interface ReplayOptions extends Options {
  readonly delivery: string | undefined;
  readonly subscription: string | undefined;
  readonly failedSince: number | undefined;
  readonly merchant: string | undefined;
}

/** What is done about deliveries and subscriptions, while services run or not. */
export function addDeliveryCommands(serve: Command, surroundings: Surroundings): void {
  withPlace(serve.command("replay").description("have deliveries attempted again"))
    .option("--delivery <id>", "one delivery, whatever became of it")
    .option("--subscription <key>", "all of a subscription that have ended")
    .option(
      "--failed-since <time>",
      "all that were given up, of events since then, such as 2026-11-20T00:00:00Z",
      instant,
    )
    .option("--merchant <id>", "with --failed-since: of this merchant alone")
    .option("--by <name>", "who asks, for the trail: 1 to 64 characters", name, "operator")
    .addHelpText("after", replayHelp)
    .action(async (options: ReplayOptions) => {
      const what = replayedBy(options);
      const { runReplay } = await import("../commands/serve-deliveries.ts");
      const command = { ...placeOf(options), what, askedBy: options.by };
      if (!(await runReplay(command, surroundings))) surroundings.unmet();
    });
  withPlace(serve.command("resume").description("let a paused subscription go on"))
    .argument("<key>", "the subscription's key")
    .option("--by <name>", "who asks, for the trail: 1 to 64 characters", name, "operator")
    .addHelpText("after", resumeHelp)
    .action(async (key: string, options: Options) => {
      const { runResume } = await import("../commands/serve-deliveries.ts");
      const command = { ...placeOf(options), key, askedBy: options.by };
      if (!(await runResume(command, surroundings))) surroundings.unmet();
    });
  withPlace(serve.command("trail").description("who had what attempted again or resumed"))
    .option("--limit <number>", "lines at most, up to 100000", limit, 100)
    .addHelpText("after", trailHelp)
    .action(async (options: Options & { readonly limit: number }) => {
      const { runTrail } = await import("../commands/serve-deliveries.ts");
      await runTrail({ ...placeOf(options), limit: options.limit }, surroundings);
    });
}

function replayedBy(options: ReplayOptions) {
  const { delivery, subscription, failedSince, merchant } = options;
  const named = [delivery, subscription, failedSince].filter((one) => one !== undefined);
  if (named.length !== 1 || (merchant !== undefined && failedSince === undefined)) {
    throw new Failure(
      "CS_CLI_ARGUMENT_UNUSABLE",
      "name one of --delivery, --subscription and --failed-since; --merchant goes with --failed-since",
    );
  }
  if (delivery !== undefined) return { kind: "delivery", id: delivery } as const;
  if (subscription !== undefined) return { kind: "subscription", key: subscription } as const;
  const ofMerchant = merchant === undefined ? {} : { merchantId: merchant };
  return { kind: "failed", since: failedSince ?? 0, ...ofMerchant } as const;
}

function withPlace(command: Command): Command {
  return command
    .option("--database <file>", "SQLite file (default: .countersign/service.db)")
    .option("--json", "one JSON object instead of lines");
}

const placeOf = ({ database, json = false }: Options): OperatedService => ({ database, json });

function instant(text: string): number {
  const at = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new InvalidArgumentError("must be a time in UTC such as 2026-11-20T00:00:00Z.");
}

function name(text: string): string {
  if (/^[\x20-\x7E]{1,64}$/.test(text)) return text;
  throw new InvalidArgumentError("must be 1 to 64 printable ASCII characters.");
}

function limit(text: string): number {
  const number = Number(text);
  if (/^\d{1,6}$/.test(text) && number >= 1 && number <= 100_000) return number;
  throw new InvalidArgumentError("must be a whole number from 1 to 100000.");
}
