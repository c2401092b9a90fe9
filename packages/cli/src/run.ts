import { referencePage } from "@countersign/schemas";
import { CommanderError } from "commander";
import { Failure } from "./failure.ts";
import { printable } from "./printable.ts";
import { createProgram } from "./program.ts";
import type { Surroundings } from "./terminal.ts";

/** The parts of the process that a run uses. */
export type RunSurroundings = Omit<Surroundings, "unmet">;

/**
 * Runs the command `countersign`.
 *
 * @param args Arguments after the command's name.
 * @returns The exit status: 0, 1 if the command found a problem, or 2 if it could not run and has
 *   printed the reason.
 */
export async function run(
  args: readonly string[],
  surroundings: RunSurroundings,
): Promise<0 | 1 | 2> {
  let status: 0 | 1 = 0;
  const unmet = (): void => {
    status = 1;
  };
  try {
    const program = await createProgram(args, { ...surroundings, unmet });
    await program.parseAsync(args, { from: "user" });
    return status;
  } catch (error) {
    // Commander has written its message already. Help without `--help` is a usage error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof Failure)) throw error;
    // A message may hold words of an argument, a file or a server.
    const message = error.message.split("\n").map(printable).join("\n");
    surroundings.terminal.err(`countersign: ${error.code}: ${message}`, "bad");
    surroundings.terminal.err(`  ${referencePage("codes", error.code)}`);
    return 2;
  }
}
