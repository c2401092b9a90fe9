import type { Command } from "commander";
import type { Surroundings } from "../terminal.ts";

const help = `
One line a requirement: id, level, the sentence. Named by their ids they also say why, what
to change where one does not hold, from which section it is, on which value of the profile it rests, and which
checks test it.

Examples:
  countersign requirements --role receiver
  countersign requirements R-VERIFY-RAW P-AUTH-BEARER
  countersign requirements --level MUST --json`;

interface RequirementsOptions {
  readonly role: string | undefined;
  readonly level: string | undefined;
  readonly json: boolean | undefined;
}

export function declareRequirements(program: Command, surroundings: Surroundings): void {
  program
    .command("requirements")
    .argument("[id...]", "these alone, with their reasons")
    .description("what a provider and a receiver owe each other")
    .option("--role <role>", "provider or receiver (default: both)")
    .option("--level <level>", "level (default: all)")
    .option("--json", "one JSON object instead of lines")
    .addHelpText("after", help)
    .action(async (ids: readonly string[], options: RequirementsOptions) => {
      const { runRequirements } = await import("../commands/requirements.ts");
      const { role, level, json = false } = options;
      runRequirements({ ids, role, level, json }, surroundings);
    });
}
