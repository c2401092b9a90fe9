import { InvalidArgumentError, Option } from "commander";
import { didYouMean } from "./closest.ts";
import type { PortChoice } from "./listen-on.ts";

const DEFAULT_PORT = 4010;

/** Returns a parser of an option's integer, both bounds included. */
export function integer(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d{1,10}$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`expected an integer from ${least} to ${most}.`);
  };
}

/** Seeds of generated data: a 32-bit integer. */
export const seed: (text: string) => number = integer(0, 4_294_967_295);

/** Creates an option that accepts only the known values; help and completion list them. */
export function choice(flags: string, description: string, known: readonly string[]): Option {
  const option = new Option(flags, description).choices(known);
  return option.argParser((value: string) => {
    if (known.includes(value)) return value;
    throw new InvalidArgumentError(
      `expected one of ${known.join(", ")}${didYouMean(value, known)}`,
    );
  });
}

export const profileOption = (): Option =>
  new Option("--profile <name|file>", "built-in profile or profile document").default("standard");

/** `--port`. Without it a command may use the next free port. */
export const portOption = (): Option =>
  new Option("--port <number>", `port to listen on (default: ${DEFAULT_PORT})`).argParser(
    integer(0, 65_535),
  );

export const portChoice = (port: number | undefined): PortChoice => ({
  port: port ?? DEFAULT_PORT,
  isAskedFor: port !== undefined,
});
