import { providersByName } from "@countersign/schemas/providers-by-name";
import type { Command } from "commander";
import { loadProvider } from "../provider.ts";
import { hoursText, providerSheet, replaySeconds, signedText } from "../provider-sheet.ts";
import { printable, printableJson } from "../printable.ts";
import type { Surroundings, Terminal } from "../terminal.ts";

const help = `
Lists the providers whose webhooks the receiver accepts without code: how old a replayed attempt can be,
how long they retry, how long they wait for an answer, and what they sign. "-" is none, or unknown;
no public page states what a "?" follows.

With a name, or the file of a document of your own, prints the code that mounts the receiver, where the secret
is, what is signed, traps and events.

Examples:
  countersign providers
  countersign providers stripe
  countersign providers acme.json --json`;

/** `countersign providers`. */
export function declareProviders(command: Command, { terminal }: Surroundings): void {
  const names = command.createArgument("[provider]", "name or document of one provider");
  command
    .addArgument(names)
    // The names are for completion: help would list all of them.
    .configureHelp({ argumentDescription: ({ description }) => description })
    .option("--json", "print one JSON object instead of lines")
    .addHelpText("after", help)
    .action((name: string | undefined, { json = false }: { readonly json?: boolean }) =>
      name === undefined ? listProviders(json, terminal) : printProvider(name, json, terminal),
    );
  names.argChoices = [...providersByName.keys()];
}

/** The longest text of the last column; a provider's sheet has all of it. */
const MAX_SIGNED = 48;

function listProviders(isJson: boolean, terminal: Terminal): void {
  const rows = [...providersByName.values()].map((provider) => ({
    name: provider.name,
    title: provider.title,
    replaySeconds: replaySeconds(provider) ?? null,
    retries: provider.retries ?? null,
    deadlineSeconds: provider.answer?.deadlineSeconds ?? null,
    unconfirmed: provider.unconfirmed ?? [],
    signed: signedText(provider),
  }));
  if (isJson) return terminal.out(printableJson({ providers: rows }));
  const seconds = (count: number | null): string => (count === null ? "-" : `${count} s`);
  type Row = (typeof rows)[number];
  const mark = ({ unconfirmed }: Row, fact: Row["unconfirmed"][number]): string =>
    unconfirmed.includes(fact) ? "?" : "";
  const table = [
    ["NAME", "TITLE", "REPLAY", "RETRIES", "DEADLINE", "SIGNED"],
    ...rows.map((row) => {
      const { name, title, replaySeconds: replay, retries, deadlineSeconds, signed } = row;
      const until =
        retries === null || retries === "none" ? (retries ?? "-") : hoursText(retries.hours);
      return [
        name,
        title,
        seconds(replay),
        until + mark(row, "retries"),
        seconds(deadlineSeconds) + mark(row, "deadlineSeconds"),
        signed.length > MAX_SIGNED ? `${signed.slice(0, MAX_SIGNED)}…` : signed,
      ];
    }),
  ];
  const widths = table[0]?.map((_, column) =>
    Math.max(...table.map((row) => row[column]?.length ?? 0)),
  );
  for (const row of table)
    terminal.out(
      row
        .map((cell, column) => cell.padEnd(widths?.[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
  return undefined;
}

async function printProvider(name: string, isJson: boolean, terminal: Terminal): Promise<void> {
  const provider = await loadProvider(name);
  const { facts, mount, traps, events } = providerSheet(provider);
  if (isJson)
    return terminal.out(printableJson({ provider, facts: Object.fromEntries(facts), mount }));
  // A document of the user's may contain anything.
  const out = (line: string): void => terminal.out(printable(line));
  const width = Math.max(...facts.map(([label]) => label.length));
  terminal.out(printable(`${provider.name}  ${provider.title}`), "strong");
  for (const [label, text] of facts) out(`  ${label.padEnd(width)}  ${text}`);
  for (const trap of traps) out(`  ${"trap".padEnd(width)}  ${trap}`);
  terminal.out("");
  for (const line of mount.split("\n")) out(line);
  if (events.length > 0) terminal.out("");
  for (const { type, category, description } of events)
    out([type, category, description].filter((text) => text !== undefined).join("  "));
  return undefined;
}
