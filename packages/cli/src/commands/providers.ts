import { providersByName } from "@countersign/schemas/providers-by-name";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { define, wrapText } from "../command.ts";
import * as option from "../options.ts";
import { loadProvider } from "../provider.ts";
import { hoursText, providerSheet, replaySeconds, signedText } from "../provider-sheet.ts";
import { inColumns, type Terminal } from "../terminal.ts";

const help = `
Examples:
  countersign providers
  countersign providers stripe
  countersign providers shop
  countersign providers acme.json --json

Lists the providers whose webhooks the receiver accepts without code: how old a replayed attempt can be,
how long they retry, how long they wait for an answer, and what they sign. "-" is none, or unknown;
no public page states what a "?" follows.

With a name, or the file of a document of your own, prints the code that mounts the receiver, where the secret
is, what is signed, traps and events. Any other word lists the providers whose name, title, algorithm or event types
contain it.`;

export const definition = define({
  args: { "[provider]": "name or document of one, or a word to search" },
  options: { json: option.json },
  help,
  run: async ({ json: isJson = false }, { terminal }, { args: [word] }) => {
    const all = [...providersByName.values()];
    if (word === undefined) return listProviders(all, isJson, terminal);
    const found = providersByName.has(word) ? [] : all.filter((one) => matches(one, word));
    return found.length > 0
      ? listProviders(found, isJson, terminal)
      : printProvider(word, isJson, terminal);
  },
});

/** True if a provider's name, title, algorithm or one of its event types contains a word. */
function matches(
  { name, title, signature, catalogue = [] }: ProviderDocument,
  word: string,
): boolean {
  const texts = [name, title, signature.algorithm, ...catalogue.map(({ type }) => type)];
  return texts.some((text) => text.toLowerCase().includes(word.toLowerCase()));
}

function listProviders(
  providers: readonly ProviderDocument[],
  isJson: boolean,
  terminal: Terminal,
): void {
  const rows = providers.map((provider) => ({
    name: provider.name,
    title: provider.title,
    replaySeconds: replaySeconds(provider) ?? null,
    retries: provider.retries ?? null,
    deadlineSeconds: provider.answer?.deadlineSeconds ?? null,
    unconfirmed: provider.unconfirmed ?? [],
    signed: signedText(provider),
  }));
  if (isJson) return terminal.json({ providers: rows });
  const seconds = (count: number | null): string => (count === null ? "-" : `${count} s`);
  const table = rows.map(({ name, title, retries, unconfirmed, signed, ...times }) => {
    const mark = (fact: (typeof unconfirmed)[number]): string =>
      unconfirmed.includes(fact) ? "?" : "";
    return [
      name,
      title,
      seconds(times.replaySeconds),
      (typeof retries === "object" && retries ? hoursText(retries.hours) : (retries ?? "-")) +
        mark("retries"),
      seconds(times.deadlineSeconds) + mark("deadlineSeconds"),
      signed,
    ];
  });
  // A provider's sheet has its title, and all of what is signed.
  const { columns = Infinity } = terminal;
  const isNarrow = columns < 100;
  const shown = [HEAD, ...table].map(([name = "", title = "", ...facts]) =>
    isNarrow ? [name, ...facts] : [name, title, ...facts],
  );
  for (const line of inColumns(shown))
    terminal.out(line.length > columns ? `${line.slice(0, columns - 1)}…` : line);
}

const HEAD = ["NAME", "TITLE", "REPLAY", "RETRIES", "DEADLINE", "SIGNED"];

async function printProvider(name: string, isJson: boolean, terminal: Terminal): Promise<void> {
  const provider = await loadProvider(name);
  const file = providersByName.has(name) ? undefined : name;
  const { facts, mount, traps, events } = providerSheet(provider, file);
  if (isJson) return terminal.json({ provider, facts: Object.fromEntries(facts), mount });
  terminal.out(`${provider.name}  ${provider.title}`, "strong");
  const rows = [...facts, ...traps.map((trap) => ["trap", trap] as const)];
  const described = events.map(({ type, category, description }) =>
    [type, category, description].filter((text) => text !== undefined).join("  "),
  );
  const lines = [
    ...inColumns(rows).flatMap((line) => wrapText(`  ${line}`, terminal.columns).split("\n")),
    "",
    ...mount.split("\n"),
    ...(described.length > 0 ? ["", ...described] : []),
  ];
  for (const line of lines) terminal.out(line);
}
