import type { Command } from "commander";
import type { Surroundings } from "../terminal.ts";
import { DEFAULT_PORT, portChoice, portOption } from "./port.ts";
import { wholeNumber } from "./whole-number.ts";

const help = `
Prints one line on stdout when it takes calls: ready http://127.0.0.1:${DEFAULT_PORT}
All else goes to stderr: the token, the database, calls to try. With --json the line is one object, which has
the paths of the files that hold the token and the secret in the place of them.

Environment (each also as NAME_FILE, the path of a file that holds it):
  COUNTERSIGN_TOKEN    the bearer token; without it one is made and kept beside the database
  COUNTERSIGN_SECRET   signs the deliveries of --deliver-to; without it one is made

Examples:
  countersign sandbox
  countersign sandbox --port 5000 --database ./tmp/sandbox.db --seed 7
  countersign sandbox --deliver-to http://localhost:3000/webhooks --open
  countersign sandbox --listen 0.0.0.0 --allow-host sandbox.test:${DEFAULT_PORT}`;

interface SandboxOptions {
  readonly port: number | undefined;
  readonly database: string | undefined;
  readonly profile: string;
  readonly listen: string;
  readonly seed: number;
  readonly deliverTo: string | undefined;
  readonly allowHost: readonly string[] | undefined;
  readonly open: boolean | undefined;
  readonly json: boolean | undefined;
}

export function declareSandbox(program: Command, surroundings: Surroundings): void {
  program
    .command("sandbox")
    .description("the service with controls for clock, payments, customers and faults")
    .addOption(portOption())
    .option("--database <file>", "SQLite file (default: .countersign/sandbox.db)")
    .option("--profile <name|file>", "built-in profile or profile document", "standard")
    .option("--seed <number>", "of the ids of what is there at first", wholeNumber, 1)
    .option("--deliver-to <url>", "subscribe this address to every event")
    .option(
      "--listen <address>",
      "address to listen on; beyond loopback with --allow-host",
      "127.0.0.1",
    )
    .option("--allow-host <host...>", "names that the controls may be called by")
    .option("--open", "open the inspector in the browser")
    .option("--json", "one JSON object in the place of the line ready")
    .addHelpText("after", help)
    .action(async (options: SandboxOptions) => {
      const { runSandbox } = await import("../commands/sandbox.ts");
      const { database, deliverTo, listen, open = false, json = false, profile, seed } = options;
      const allowHosts = options.allowHost ?? [];
      const port = portChoice(options.port);
      await runSandbox(
        { port, database, profile, seed, deliverTo, listen, allowHosts, open, json },
        surroundings,
      );
    });
}
