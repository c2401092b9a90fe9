import { CommanderError } from "commander";
import { Failure } from "./failure.ts";
import { createProgram } from "./program.ts";
import type { Surroundings } from "./terminal.ts";

/**
 * Runs the command `countersign`.
 *
 * @param args What follows the command's name.
 * @returns The exit status: 0, or 2 where the command itself could not run. It has said why.
 */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<0 | 2> {
  try {
    await createProgram(surroundings).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    // Commander has written its message already. Help that nobody asked for is a mistake of use.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof Failure)) throw error;
    surroundings.terminal.err(`countersign: ${error.code}: ${error.message}`);
    return 2;
  }
}
