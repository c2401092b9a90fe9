import { type Command, InvalidArgumentError } from "commander";
import type { Surroundings } from "../terminal.ts";

const help = `
Signs by the profile, without any service. Attempts of --times carry one id and a time of their own each.
--broken KIND sends one with a single fault: unsigned, wrong-secret, changed-body, changed-id,
truncated-signature, stale, future, not-json.

Prints one line an attempt. Ends with 0 where every genuine attempt was answered 2xx, or every broken one
was not; with 1 otherwise.

Environment (also as NAME_FILE, the path of a file that holds it):
  COUNTERSIGN_SECRET   signs the event; a terminal is asked for it

Examples:
  countersign send refund.authorized --url http://localhost:3000/webhooks
  countersign send payment.created --url http://localhost:3000/webhooks --id evt_1 --times 2
  countersign send refund.failed --url http://localhost:3000/webhooks --broken stale --json`;

interface SendOptions {
  readonly url: string;
  readonly data: string | undefined;
  readonly profile: string;
  readonly id: string | undefined;
  readonly times: number;
  readonly broken: string | undefined;
  readonly json: boolean | undefined;
}

export function declareSend(program: Command, surroundings: Surroundings): void {
  program
    .command("send")
    .argument("<event-type>", "a name of the profile's catalogue, such as refund.authorized")
    .description("one signed event to a receiver")
    .requiredOption("--url <url>", "where the receiver takes attempts")
    .option("--data <file>", "JSON file of the event's data (default: a sample)")
    .option("--profile <name|file>", "built-in profile or profile document", "standard")
    .option("--id <id>", "the event's id (default: a new one)")
    .option("--times <number>", "attempts, one after the other, up to 1000", attempts, 1)
    .option("--broken <kind>", "with a single fault")
    .option("--json", "one JSON object instead of lines")
    .addHelpText("after", help)
    .action(async (type: string, options: SendOptions) => {
      const { runSend } = await import("../commands/send.ts");
      const { json = false, ...rest } = options;
      const command = {
        type,
        json,
        ...rest,
        data: options.data,
        id: options.id,
        broken: options.broken,
      };
      if (!(await runSend(command, surroundings))) surroundings.unmet();
    });
}

function attempts(text: string): number {
  const times = Number(text);
  if (/^\d{1,4}$/.test(text) && times >= 1 && times <= 1000) return times;
  throw new InvalidArgumentError("must be a whole number from 1 to 1000.");
}
