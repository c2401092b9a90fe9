// Writes the pages of commands and of library differences before a build of the site: nobody reviews them.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createProgram } from "../../packages/cli/src/program.ts";
import { docs } from "./pages.ts";

type Command = Awaited<ReturnType<typeof createProgram>>;

/** Returns the help of every command. */
async function commandsPage(): Promise<string> {
  const printed: string[] = [];
  const program = await createProgram(["complete"], {
    terminal: { out: (text) => void printed.push(text), err: () => {}, columns: 76 },
    env: {},
    asked: () => Promise.resolve(),
    interruption: () => new AbortController().signal,
    input: async function* () {},
    askSecret: () => Promise.resolve(undefined),
    unmet: () => {},
    version: "",
  });
  const sections = commandsOf(program).map(([name, command]) => {
    printed.length = 0;
    command.outputHelp();
    return `## countersign ${name}\n\n\`\`\`text\n${printed.join("\n").trim()}\n\`\`\``;
  });
  return ["# Commands", "As `countersign help COMMAND` prints it.", ...sections].join("\n\n");
}

/** Returns every command with options of its own, with its words. */
function commandsOf(parent: Command, words: readonly string[] = []): [string, Command][] {
  return parent.commands
    .filter((command) => !["help", "complete"].includes(command.name()))
    .flatMap((command): [string, Command][] => {
      const name = [...words, command.name()];
      const below = commandsOf(command, name);
      return command.options.length === 0 && below.length > 0
        ? below
        : [[name.join(" "), command], ...below];
    });
}

/** Returns the attempts on which other libraries and this one differ; the tests of the signatures run each row. */
function differencesPage(): string {
  const file = new URL("../../contracts/vectors/disagreements.json", import.meta.url);
  const rows = JSON.parse(readFileSync(file, "utf8")) as readonly Record<string, string>[];
  const sections = Object.entries(Object.groupBy(rows, ({ peer }) => peer ?? "")).map(
    ([peer, own = []]) =>
      [
        `## ${peer}\n\n| attempt | ${peer} | reason |\n| --- | --- | --- |`,
        ...own.map(
          ({ name, theirs, us, why }) => `| ${name} | ${theirs}; here \`${us}\` | ${why} |`,
        ),
      ].join("\n"),
  );
  return [
    "# Differences from other libraries",
    "On strict input every verdict equals that of these libraries: a property test compares them. On other input they differ as follows.",
    ...sections,
  ].join("\n\n");
}

mkdirSync(`${docs}reference`, { recursive: true });
writeFileSync(`${docs}reference/cli.md`, `${await commandsPage()}\n`);
writeFileSync(`${docs}reference/library-differences.md`, `${differencesPage()}\n`);
