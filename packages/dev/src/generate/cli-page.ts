import { failureCodes } from "../../../cli/src/failure.ts";
import { createProgram } from "../../../cli/src/program.ts";
import { markdownTable } from "./markdown.ts";

type Command = Awaited<ReturnType<typeof createProgram>>;

/** The page of the command `countersign`: the help of every command, exit codes and error codes. */
export async function cliPage(): Promise<string> {
  const printed: string[] = [];
  const program = await createProgram(["complete"], {
    terminal: { out: (text) => printed.push(text), err: () => {}, columns: 100 },
    env: {},
    asked: () => Promise.resolve(),
    interruption: () => new AbortController().signal,
    input: async function* () {},
    askSecret: () => Promise.resolve(undefined),
    unmet: () => {},
    version: "",
  });
  const helpOf = (command: Command): string => {
    printed.length = 0;
    command.outputHelp();
    return printed.join("\n").trim();
  };
  const sections = commandsOf(program).map(
    ([name, command]) => `## countersign ${name}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\``,
  );
  return `${[
    "# Commands",
    "",
    "The help of every command, as `countersign help COMMAND` prints it. Generated; do not edit.",
    "",
    sections.join("\n\n"),
    "",
    "## Colours",
    "",
    "A terminal gets colours, unless `NO_COLOR` has a value. `FORCE_COLOR` turns them on everywhere, `FORCE_COLOR=0` off.",
    "",
    "## Exit codes",
    "",
    markdownTable(
      ["exit code", "meaning"],
      [
        ["0", "The command succeeded, or was asked to stop."],
        ["1", "The command ran, and what it examined fails: a requirement, a diff, an event, a line of an import."],
        ["2", "The command could not run, or its target did not answer; stderr gives the reason."],
      ],
    ),
    "",
    "## Error codes",
    "",
    "Printed on stderr as `countersign: CODE: message` and the address of the code's explanation, with exit code 2.",
    "",
    markdownTable(
      ["code", "meaning"],
      Object.entries(failureCodes).map(([code, meaning]) => [`\`${code}\``, meaning]),
    ),
  ].join("\n")}\n`;
}

/** Every command with options or examples, by its words. */
function commandsOf(parent: Command, words: readonly string[] = []): [string, Command][] {
  return parent.commands
    .filter((one) => !["help", "complete"].includes(one.name()))
    .flatMap((one): [string, Command][] => {
      const name = [...words, one.name()];
      const below = commandsOf(one, name);
      return one.options.length === 0 && below.length > 0
        ? below
        : [[name.join(" "), one], ...below];
    });
}
