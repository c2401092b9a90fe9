import type { Command } from "commander";
import { Failure } from "../failure.ts";
import type { Surroundings } from "../terminal.ts";

const help = `
Compares the *.schema.json below both folders. Whom a change breaks depends on who writes what a schema
describes: documents below events/ are events, *-request are requests, profiles are written by who
configures a service, the rest are answers. ERR breaks who was right before, WARN who relied on what was
not promised, INFO nobody.

The file of --severity is JSON: {"bound-loosened": "INFO", "kind-added": {"event": "WARN"}}; NONE leaves
a rule out. Ends with 0, or with 1 where a change is as grave as --fail-on.

Examples:
  countersign diff schemas-1.0 schemas-1.1
  countersign diff old new --fail-on WARN --severity severities.json --json
  countersign diff --rules`;

interface DiffOptions {
  readonly severity: string | undefined;
  readonly failOn: string;
  readonly rules: boolean | undefined;
  readonly json: boolean | undefined;
}

export function declareDiff(program: Command, surroundings: Surroundings): void {
  program
    .command("diff")
    .argument("[old-dir]", "schemas as they were")
    .argument("[new-dir]", "schemas as they are")
    .description("what has changed between two folders of schemas, and whom it breaks")
    .option("--severity <file>", "JSON file of severities over the rules' own")
    .option("--fail-on <severity>", "the least grave change that ends with 1", "ERR")
    .option("--rules", "list the rules with their severities, and compare nothing")
    .option("--json", "one JSON object instead of lines")
    .addHelpText("after", help)
    .action(
      async (oldDir: string | undefined, newDir: string | undefined, options: DiffOptions) => {
        const { printRules, runDiff } = await import("../commands/diff.ts");
        const { severity, failOn, json = false } = options;
        if (options.rules === true) {
          printRules(json, surroundings);
          return;
        }
        if (oldDir === undefined || newDir === undefined)
          throw new Failure(
            "CS_CLI_ARGUMENT_UNUSABLE",
            "two folders are compared: OLD_DIR NEW_DIR",
          );
        const isHeld = await runDiff({ oldDir, newDir, severity, failOn, json }, surroundings);
        if (!isHeld) surroundings.unmet();
      },
    );
}
