import type { Command } from "commander";

/**
 * What may stand in the place of the last word: the commands, or where it begins with a dash the
 * options. Empty where a value is due, which may be a file.
 *
 * @param words What follows the command's name, up to the cursor.
 */
export function candidates(program: Command, words: readonly string[]): readonly string[] {
  const partial = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const commandsOf = (one: Command): readonly Command[] => one.createHelp().visibleCommands(one);
  let command = program;
  for (const word of before)
    command = commandsOf(command).find((one) => one.name() === word) ?? command;
  const options = command.createHelp().visibleOptions(command);
  const last = options.find(({ long, short }) => [long, short].includes(before.at(-1) ?? ""));
  if (last !== undefined && (last.required || last.optional)) return [];
  const names = partial.startsWith("-")
    ? options.flatMap(({ long }) => long ?? [])
    : commandsOf(command).map((one) => one.name());
  return names.filter((name) => name.startsWith(partial));
}
