import { Command } from "commander";
import { declareCompletion } from "./declare/completion.ts";
import { declareDiff } from "./declare/diff.ts";
import { declareExplain } from "./declare/explain.ts";
import { declareInbox } from "./declare/inbox.ts";
import { declareRequirements } from "./declare/requirements.ts";
import { declareSandbox } from "./declare/sandbox.ts";
import { declareSend } from "./declare/send.ts";
import { declareServe } from "./declare/serve.ts";
import { declareTypes } from "./declare/types.ts";
import { declareVerify } from "./declare/verify.ts";
import { printable } from "./printable.ts";
import type { Surroundings } from "./terminal.ts";

const help = `
Examples:
  countersign sandbox
  countersign send refund.authorized --url http://localhost:3000/webhooks
  countersign types --language typescript --out src/events.ts
  countersign help send`;

/** The command `countersign`. Each command loads what it needs when it runs, and no other one's. */
export function createProgram(surroundings: Surroundings): Command {
  const { terminal, version } = surroundings;
  const program = new Command("countersign")
    .description(
      "A payment provider's refunds, customers and webhooks, for development and for real",
    )
    .version(version)
    .addHelpText("after", help)
    // An option behind a command is that command's own, also where it is one of the command before.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      // It repeats what was typed, or what a script put there.
      writeErr: (text) => terminal.err(text.trimEnd().split("\n").map(printable).join("\n")),
    });

  declareSandbox(program, surroundings);
  declareServe(program, surroundings);
  declareSend(program, surroundings);
  declareExplain(program, surroundings);
  declareDiff(program, surroundings);
  declareTypes(program, surroundings);
  declareRequirements(program, surroundings);
  declareVerify(program, surroundings);
  declareInbox(program, surroundings);
  declareCompletion(program, surroundings);
  return program;
}
