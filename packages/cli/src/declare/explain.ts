import { type Command, InvalidArgumentError } from "commander";
import type { Surroundings } from "../terminal.ts";

const help = `
FILE is a raw HTTP request (request line, headers, blank line, body) or a HAR file from a browser or proxy.
The body must be the bytes that arrived. One newline at the end of FILE that Content-Length does not count
is ignored.

Prints each cause with its fix. Exits with 0 if the attempt verifies, 1 if it does not, and 2 if the
command could not run.

Environment (also as NAME_FILE, the path of a file with the value):
  COUNTERSIGN_SECRET         secret of the receiver; prompted for at a terminal
  COUNTERSIGN_OTHER_SECRET   secret of another endpoint that may have signed (optional)

Examples:
  countersign explain --file request.http
  countersign explain --file recorded.har --entry 3
  countersign explain --file request.http --at 2026-02-11T10:00:00Z --json`;

interface ExplainOptions {
  readonly file: string;
  readonly profile: string;
  readonly at: number | undefined;
  readonly entry: number | undefined;
  readonly json: boolean | undefined;
}

export function declareExplain(program: Command, surroundings: Surroundings): void {
  program
    .command("explain")
    .description("say why a receiver refuses a recorded webhook")
    .requiredOption("--file <file>", "recorded request: raw HTTP or HAR")
    .option("--profile <name|file>", "built-in profile or profile document", "standard")
    .option("--at <time>", "arrival time, ISO 8601 (default: HAR's, or now)", time)
    .option("--entry <number>", "HAR entry (default: first signed one)", entry)
    .option("--json", "print one JSON object instead of lines")
    .addHelpText("after", help)
    .action(async ({ json = false, ...options }: ExplainOptions) => {
      const { runExplain } = await import("../commands/explain.ts");
      const { at, entry: chosen } = options;
      const command = { ...options, at, entry: chosen, json };
      if (!(await runExplain(command, surroundings))) surroundings.unmet();
    });
}

function time(text: string): number {
  const ms = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  throw new InvalidArgumentError("expected a time such as 2026-02-11T10:00:00Z.");
}

function entry(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("expected an integer from 1.");
}
