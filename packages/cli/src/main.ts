import { createRequire } from "node:module";
import process from "node:process";
import { askSecret, processTerminal } from "./terminal.ts";
import { run } from "./program.ts";

/** A terminal's interrupt, a request to end, and the end of the terminal. */
const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Calls `listener` at the first of them; the second, of any kind, ends the process at once, as usual. */
function onFirstSignal(listener: () => void): void {
  const onSignal = (): void => {
    for (const signal of ENDING) process.off(signal, onSignal);
    listener();
  };
  for (const signal of ENDING) process.on(signal, onSignal);
}

let interrupted: AbortSignal | undefined;

/** Aborts at the first of them, from the first call on. */
function interruption(): AbortSignal {
  if (interrupted !== undefined) return interrupted;
  const controller = new AbortController();
  onFirstSignal(() => controller.abort());
  return (interrupted = controller.signal);
}

// npm does not pack a package without a version.
const { version } = createRequire(import.meta.url)("countersign/package.json") as {
  readonly version: string;
};

const args = process.argv.slice(2);
// A server finishes its calls; a signal during its start takes effect once it runs. Any other command ends
// at the first SIGINT.
const [command, next = "--"] = args;
// `serve import` and the other commands below `serve` do not serve.
const serves =
  command === "sandbox" || command === "listen" || (command === "serve" && next.startsWith("-"));
const asked = serves ? new Promise<void>(onFirstSignal) : Promise.resolve();

// The reader of the output has gone (`… | head`): a server continues for its callers, any other command ends
// with 141, a shell's code for SIGPIPE, which Node.js ignores.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    if (!serves) process.exit(141);
  });

process.exitCode = await run(args, {
  terminal: processTerminal(process),
  env: process.env,
  asked: () => asked,
  interruption,
  input: () => process.stdin,
  askSecret,
  version,
});

// An unfinished call must not keep the process running.
if (interrupted?.aborted === true) process.stdout.write("", () => process.exit());
