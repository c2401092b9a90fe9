import type { Command, Option } from "commander";
import { argumentValues, optionValues } from "./values.ts";

/**
 * What may stand in the place of the last word: a value of the option or the argument that is due, else the
 * commands, or where it begins with a dash the options. Empty where a value is due that nobody knows
 * beforehand, which may be a file.
 *
 * @param words What follows the command's name, up to the cursor.
 */
export async function candidates(
  program: Command,
  words: readonly string[],
): Promise<readonly string[]> {
  const partial = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const { command, after } = reached(program, before);
  const options = command.createHelp().visibleOptions(command);
  const awaited = partial.startsWith("-") ? undefined : awaiting(options, after);
  const names = await (async () => {
    if (awaited !== undefined) {
      const option = awaited.long ?? "";
      const known = optionValues[`${command.name()} ${option}`] ?? optionValues[option];
      return (await known?.()) ?? [];
    }
    if (partial.startsWith("-")) return options.flatMap(({ long }) => long ?? []);
    const [argument] = command.registeredArguments;
    const known = argumentValues[`${command.name()} ${argument?.name() ?? ""}`];
    return [...namesBelow(command), ...((await known?.()) ?? [])];
  })();
  return names.filter((name) => name.startsWith(partial));
}

/** The command that the words lead to, and those behind its name. */
function reached(program: Command, words: readonly string[]) {
  let command = program;
  let at = 0;
  for (const [index, word] of words.entries()) {
    const below = command.createHelp().visibleCommands(command);
    const next = below.find((one) => one.name() === word);
    if (next === undefined) continue;
    command = next;
    at = index + 1;
  }
  return { command, after: words.slice(at) };
}

/** The option that a value is due for: the last one, where it takes one, or takes several. */
function awaiting(options: readonly Option[], words: readonly string[]): Option | undefined {
  const place = words.findLastIndex((word) => word.startsWith("-"));
  const option = options.find(({ long, short }) => [long, short].includes(words[place] ?? ""));
  if (option === undefined || !(option.required || option.optional)) return undefined;
  const isDue = place === words.length - 1 || option.variadic;
  return isDue ? option : undefined;
}

function namesBelow(command: Command): readonly string[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((one) => one.name());
}
