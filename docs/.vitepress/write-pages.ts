// Writes the pages of providers, commands and library differences before a build of the site: nobody reviews them.
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { createProgram } from "../../packages/cli/src/program.ts";
import { providerSheet } from "../../packages/cli/src/provider-sheet.ts";
import { providersByName } from "../../schemas/src/providers-by-name.ts";
import { docs } from "./pages.ts";

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

const vectors = new URL("../../contracts/vectors/", import.meta.url);
const read = (path: string): unknown => JSON.parse(readFileSync(new URL(path, vectors), "utf8"));

/** Returns the providers' vectors on which the vendor's library decides otherwise. */
function vendorRows(): Record<string, string>[] {
  return globSync("providers/*.json", { cwd: vectors })
    .toSorted()
    .flatMap((path) => {
      // As contracts/mint writes it.
      const file = read(path) as { sdk?: string; vectors: Record<string, string>[] };
      return file.vectors
        .filter(({ reason }) => reason !== undefined)
        .map(({ name = "", sdk = "", expected = "", reason = "" }) => ({
          peer: file.sdk ?? "",
          name,
          theirs: sdk,
          us: expected,
          why: reason,
        }));
    });
}

/** Returns the attempts on which other libraries and this one differ; the tests of the signatures run each row. */
function differencesPage(): string {
  const rows = [
    ...(read("disagreements.json") as readonly Record<string, string>[]),
    ...vendorRows(),
  ];
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

// The site reads tags and braces as those of a component.
const plain = (text: string): string =>
  text.replaceAll("<", "&lt;").replaceAll("{{", "&#123;&#123;");
const cell = (text = ""): string => plain(text).replaceAll("|", "\\|");

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
writeFileSync(`${docs}reference/library-differences.md`, `${differencesPage()}\n`);
