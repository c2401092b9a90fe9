import { type Command, Option } from "commander";
import { type OptionOf, type Table, type ValuesOf, wordOf } from "./options.ts";
import type { Surroundings } from "./terminal.ts";

interface Definition<O extends Table> {
  /** Follows the summary in the help. */
  readonly description?: string;
  /** Help of the arguments, by their placeholders. */
  readonly args?: Readonly<Record<string, string>>;
  readonly options?: O;
  /** Follows the options in the help, except for its examples, which precede them. */
  readonly help?: string;
  /** Commands below this one, with their summaries. */
  readonly below?: Readonly<Record<string, readonly [summary: string, Declare]>>;
  /** @returns False if it ran and found a problem: status 1. */
  run?(
    options: ValuesOf<O>,
    surroundings: Surroundings,
    given: Given,
  ): boolean | void | Promise<boolean | void>;
}

/** The arguments of a command besides its options. */
interface Given {
  readonly args: readonly string[];
  readonly command: Command;
}

/** Adds a command's arguments, options, help and action to the command itself. */
export type Declare = (command: Command, surroundings: Surroundings) => void;

/** Defines a command. */
export const define =
  <O extends Table>({
    args = {},
    options,
    help = "",
    below = {},
    ...own
  }: Definition<O>): Declare =>
  (command, surroundings) => {
    const summary = command.description();
    const [examples] = EXAMPLES.exec(help) ?? [];
    const parts = [summary, own.description, examples?.trim()];
    command.summary(summary).description(parts.filter((part) => part !== undefined).join("\n\n"));
    const { columns = 120 } = surroundings.terminal;
    command.addHelpText("after", wrapText(help.replace(EXAMPLES, "").trimEnd(), columns));
    for (const [placeholder, about] of Object.entries(args)) command.argument(placeholder, about);
    for (const [name, option] of Object.entries(options ?? {})) addOption(command, name, option);
    for (const [name, [first, declare]] of Object.entries(below))
      declare(command.command(name).description(first), surroundings);
    if (own.run === undefined) return;
    command.enablePositionalOptions().action(async () => {
      const given = { args: command.processedArgs.flat().filter(isText), command };
      // The parsers of the options return these types.
      const values = command.opts<ValuesOf<O>>();
      if ((await own.run?.(values, surroundings, given)) === false) surroundings.unmet();
    });
  };

const isText = (value: unknown): value is string => typeof value === "string";

function addOption(command: Command, name: string, own: OptionOf<unknown>): void {
  const { value, help, known, standard, isRequired = false, isAlone = false } = own;
  const word = wordOf(name);
  const option = new Option(value === undefined ? word : `${word} ${value}`, help);
  if (known !== undefined) option.choices(known);
  if (own.parse !== undefined)
    option.argParser<unknown>((text, before) => own.parse?.(text, before));
  if (standard !== undefined)
    option.default(standard, Array.isArray(standard) ? standard.join(",") : undefined);
  command.addOption(option.makeOptionMandatory(isRequired));
  if (!isAlone) return;
  command.on(`option:${name}`, () => {
    for (const other of command.options) other.mandatory = false;
  });
}

/** The examples of a help text, up to an empty line. */
const EXAMPLES = /^Examples:\n(?: +\S.*(?:\n|$))+\n?/m;

/** Wraps a help text at words: paragraphs, and indented lines that keep their column. An example stays, to be copied. */
export function wrapText(text: string, width = Infinity): string {
  let isExample = false;
  return text
    .replaceAll(/(?<=^\S.*)\n(?=\S)(?!Environment)/gm, " ")
    .split("\n")
    .map((line) => {
      isExample = line === "Examples:" || (isExample && line !== "");
      return isExample ? line : wrapLine(line, width);
    })
    .join("\n");
}

function wrapLine(line: string, width: number): string {
  const column = /^\s*\S+(?:[ ,]\S+)*\s{2,}/.exec(line)?.[0].length ?? 0;
  const indent = column > 0 && column <= width - 20 ? column : (/^\s*/.exec(line)?.[0].length ?? 0);
  const rows = [""];
  for (const part of line.match(/\s*\S+/g) ?? []) {
    const row = rows.at(-1) ?? "";
    if (row.trim() !== "" && row.length + part.length > width)
      rows.push(" ".repeat(indent) + part.trimStart());
    else rows[rows.length - 1] = row + part;
  }
  return rows.join("\n");
}
