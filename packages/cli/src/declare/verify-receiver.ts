import { InvalidArgumentError, type Command } from "commander";
import type { ReceiverOptions } from "../commands/verify-receiver.ts";
import type { Surroundings } from "../terminal.ts";
import { verifyHelp, withVerifyOptions } from "../verify/verify-options.ts";

const receiverHelp = `
Sends genuine and forged attempts to a receiver in any language, and tells which requirements it keeps, with
the bytes of both sides. With --effects-url, what its handlers have done counts too: GET gives a list of
{"eventId", "type", "count"}, and PUT {"failNext": n} makes the next handlers fail; without it, what only
handlers show is not applicable. Every id begins with cstest_.

With --samples, the events of a type are varied from the folder's event of that type. With --restart-command,
events that were handled are sent again after a restart: the command must end with 0 within 60 s.

Targets that are not this machine are refused but for the host that --i-own names; they are sent 50 requests a
second at most. Redirects are never followed.
${verifyHelp}

Environment (also as NAME_FILE, the path of a file that holds it):
  COUNTERSIGN_SECRET   the receiver's secret, or several with spaces between them: the first one signs, and
                       with two or more it is verified that each is taken

Examples:
  countersign verify receiver --url http://localhost:3000/webhooks
  countersign verify receiver --url http://localhost:3000/webhooks --effects-url http://localhost:3000/effects
  countersign verify receiver --url https://staging.example/hooks --i-own staging.example --slow
  countersign verify receiver --url http://localhost:3000/webhooks --report junit=receiver.xml,html=receiver.html
  countersign verify receiver --url http://localhost:3000/webhooks --thorough --restart-command "docker restart shop"
  countersign verify receiver --url http://localhost:3000/webhooks --only R-VERIFY-RAW --profile x-signature`;

/** `countersign verify receiver`. */
export function declareVerifyReceiver(verify: Command, surroundings: Surroundings): void {
  const command = verify
    .command("receiver")
    .description("a merchant's receiver of webhooks, in any language")
    .requiredOption("--url <url>", "where the receiver takes attempts")
    .option("--effects-url <url>", "where it tells what its handlers have done")
    .option("--i-own <host>", "the host of --url, where it is not this machine: it may be attacked")
    .option("--types <type...>", "events that it handles (default: all of the catalogue)")
    .option("--rate <number>", "requests a second (default: 50, no cap to this machine)", rate)
    .option("--samples <dir>", "folder of own events as *.json; events are made like them")
    .option("--restart-command <cmd>", "shell command that restarts the receiver and then ends")
    .option("--thorough", "search ten times as long")
    .option("--slow", "run the checks too that wait for the receiver's own deadlines")
    .option("--nonce <text>", "a part of every id, other in each run (default: the time)");
  withVerifyOptions(command)
    .addHelpText("after", receiverHelp)
    .action(async (options: ReceiverOptions) => {
      const { runVerifyReceiver } = await import("../commands/verify-receiver.ts");
      if (!(await runVerifyReceiver(options, surroundings))) surroundings.unmet();
    });
}

function rate(text: string): number {
  const perSecond = Number(text);
  if (/^\d{1,4}$/.test(text) && perSecond >= 1 && perSecond <= 1000) return perSecond;
  throw new InvalidArgumentError("must be a whole number from 1 to 1000.");
}
