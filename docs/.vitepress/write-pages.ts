// Writes the pages of providers and commands before a build of the site: nobody reviews them.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { createProgram } from "../../packages/cli/src/program.ts";
import { providerSheet } from "../../packages/cli/src/provider-sheet.ts";
import { providersByName } from "../../schemas/src/providers-by-name.ts";
import { docs } from "./pages.ts";
import { cell, plain } from "./vectors-page.ts";

type Command = Awaited<ReturnType<typeof createProgram>>;

/** Returns the help of every command. */
async function commandsPage(): Promise<string> {
  const printed: string[] = [];
  const program = await createProgram(undefined, {
    terminal: { out: (text) => void printed.push(text), err: () => {}, columns: 76 },
    env: {},
    asked: () => Promise.resolve(),
    interruption: () => new AbortController().signal,
    input: async function* () {},
    askSecret: () => Promise.resolve(undefined),
    unmet: () => {},
    version: "",
  });
  const sections: string[] = [];
  for (const [name, command] of commandsOf(program)) {
    printed.length = 0;
    command.outputHelp();
    // The program prints a help at the end of the turn.
    // oxlint-disable-next-line no-await-in-loop -- one help after the other
    await setImmediate();
    const help = printed.join("\n").trim();
    if (help === "") throw new Error(`no help of ${name} was printed`);
    sections.push(`## countersign ${name}\n\n\`\`\`text\n${help}\n\`\`\``);
  }
  return ["# Commands", "As `countersign help COMMAND` prints it.", ...sections].join("\n\n");
}

/** Returns every command that has options, with its words. */
function commandsOf(parent: Command, words: readonly string[] = []): [string, Command][] {
  return parent.commands
    .filter((command) => command.name() !== "help")
    .flatMap((command): [string, Command][] => {
      const name = [...words, command.name()];
      const below = commandsOf(command, name);
      return command.options.length === 0 && below.length > 0
        ? below
        : [[name.join(" "), command], ...below];
    });
}

/** Facts of the page of all providers. */
const COMPARED = ["algorithm", "replay bound", "event id", "deadline", "retries"];

/** Returns the page of all providers, with a link to the page of each. */
function providersPage(): string {
  const rows = [...providersByName.values()].map((provider) => {
    const facts = new Map(providerSheet(provider).facts);
    const link = `[${provider.title}](./providers/${provider.name}.md)`;
    return `| ${[link, ...COMPARED.map((label) => cell(facts.get(label)))].join(" | ")} |`;
  });
  return [
    "# Providers",
    "The receiver accepts the webhooks of these without code. Another one is [a document of your own](../start/your-own.md).",
    [
      `| provider | ${COMPARED.join(" | ")} |`,
      "| --- | --- | --- | --- | --- | --- |",
      ...rows,
    ].join("\n"),
  ].join("\n\n");
}

/** Returns a provider's page: how to mount its receiver, what it signs, its traps and its events. */
function providerPage(provider: Parameters<typeof providerSheet>[0]): string {
  const { facts, mount, traps, events } = providerSheet(provider);
  return [
    `# ${provider.title}`,
    `\`\`\`ts\n${mount}\n\`\`\``,
    [
      "| property | value |",
      "| --- | --- |",
      ...facts.map(([label, text]) => `| ${label} | ${cell(text)} |`),
    ].join("\n"),
    ...(traps.length === 0 ? [] : ["## Traps", traps.map((one) => `- ${plain(one)}`).join("\n")]),
    "## Events",
    events.length === 0
      ? "There is no list of events: every type is accepted, and a misspelt name in `on` cannot be noticed."
      : [
          "| type | category | description |",
          "| --- | --- | --- |",
          ...events.map(
            ({ type, category, description }) =>
              `| \`${type}\` | ${cell(category)} | ${cell(description)} |`,
          ),
        ].join("\n"),
  ].join("\n\n");
}

/** Returns CONTRIBUTING.md with its links as seen from docs/reference. */
const contributingPage = (): string =>
  readFileSync(`${docs}../CONTRIBUTING.md`, "utf8")
    .replaceAll("](docs/", "](../")
    .replaceAll(/\]\((?!\.\.\/|https?:|#)/g, "](../../");

mkdirSync(`${docs}reference/providers`, { recursive: true });
for (const provider of providersByName.values())
  writeFileSync(`${docs}reference/providers/${provider.name}.md`, `${providerPage(provider)}\n`);
writeFileSync(`${docs}reference/providers.md`, `${providersPage()}\n`);
writeFileSync(`${docs}reference/cli.md`, `${await commandsPage()}\n`);
writeFileSync(`${docs}reference/contributing.md`, contributingPage());
