import type { Command } from "commander";
import { Failure } from "../failure.ts";
import type { Surroundings } from "../terminal.ts";

const help = `
Prints a script for bash, zsh or fish, which asks countersign itself what comes next.

Examples:
  source <(countersign completion bash)
  countersign completion zsh > "\${fpath[1]}/_countersign"
  countersign completion fish > ~/.config/fish/completions/countersign.fish`;

export function declareCompletion(program: Command, { terminal }: Surroundings): void {
  const completion = program
    .command("completion")
    .argument("<shell>", "bash, zsh or fish")
    .description("the script that completes commands in a shell")
    .addHelpText("after", help)
    .action(async (shell: string) => {
      const { completionScripts } = await import("../completion/scripts.ts");
      const script = new Map<string, string>(Object.entries(completionScripts)).get(shell);
      if (script === undefined)
        throw new Failure("CS_CLI_ARGUMENT_UNUSABLE", "the shell is bash, zsh or fish");
      terminal.out(script);
    });
  // What the scripts call.
  completion
    .command("words", { hidden: true })
    .argument("[word...]")
    .action(async (words: readonly string[]) => {
      const { candidates } = await import("../completion/candidates.ts");
      for (const candidate of await candidates(program, words)) terminal.out(candidate);
    });
}
