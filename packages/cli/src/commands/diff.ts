import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import {
  diffDocuments,
  diffRules,
  type Change,
  type Diff,
  type Severity,
  type SeverityOverrides,
} from "@countersign/contract-kit/diff";
import { readDocument } from "@countersign/contract-kit/documents";
import { badArgument } from "../failure.ts";
import { choice } from "../options.ts";
import { printable, printableJson } from "../printable.ts";
import type { Surroundings, Tone } from "../terminal.ts";

const help = `
Compares two OpenAPI documents (3.0 to 3.2, JSON or YAML), two AsyncAPI 3 documents, or the *.schema.json files
below two folders. Which peers a change breaks depends on the writer: clients write requests and the answers to
webhooks, the service writes responses and webhooks. In a folder, files below events/ are events, *-request are
requests, profiles are written by the operator of a service, the rest are responses.

ERR breaks correct peers; WARN may break peers that relied on something not promised; INFO breaks no peer. Some
breaking changes have an example: a value that one side sends and the other refuses.

The file of --severity is JSON: {"bound-loosened": "INFO", "kind-added": {"event": "WARN"}}; NONE leaves
a rule out. Exits with 1 if a change is at least as severe as --fail-on, with 2 if a document cannot be read,
otherwise with 0.

Examples:
  countersign diff openapi-1.0.yaml openapi-1.1.yaml
  countersign diff openapi-1.0.yaml openapi-1.1.yaml --open-enums
  countersign diff schemas-1.0 schemas-1.1
  countersign diff old new --fail-on WARN --severity severities.json --json
  countersign diff --rules`;

interface DiffOptions {
  readonly severity: string | undefined;
  readonly failOn: Severity;
  readonly openEnums: boolean | undefined;
  readonly rules: boolean | undefined;
  readonly json: boolean | undefined;
}

const severities: readonly Severity[] = ["ERR", "WARN", "INFO"];
const directions: readonly string[] = ["request", "response", "event"];

/** `countersign diff`. */
export function declareDiff(command: Command, surroundings: Surroundings): void {
  command
    .argument("[old]", "old OpenAPI or AsyncAPI file, or folder of schemas")
    .argument("[new]", "new OpenAPI or AsyncAPI file, or folder of schemas")
    .option("--open-enums", "take each list of values as open for readers")
    .option("--severity <file>", "JSON file of severities by rule")
    .addOption(
      choice("--fail-on <severity>", "lowest severity that exits with 1", severities).default(
        "ERR",
      ),
    )
    .option("--rules", "list the rules with their severities, and compare nothing")
    .option("--json", "print one JSON object instead of lines")
    .addHelpText("after", help)
    .action(async (old: string | undefined, now: string | undefined, options: DiffOptions) => {
      if (options.rules === true) return printRules(options.json === true, surroundings);
      if (old === undefined || now === undefined)
        throw badArgument("missing documents to compare: OLD NEW");
      if (!(await diff(old, now, options, surroundings))) surroundings.unmet();
    });
}

/** @returns True if every change is less severe than `--fail-on`. */
async function diff(
  old: string,
  now: string,
  { severity, failOn, openEnums, json }: DiffOptions,
  { terminal }: Surroundings,
): Promise<boolean> {
  const limit = severities.indexOf(failOn);
  const overrides = await readSeverities(severity);
  const options = { needsEvents: false };
  const [before, after] = [await readDocument(old, options), await readDocument(now, options)];
  const found = diffDocuments(before, after, {
    severities: overrides,
    openEnums: openEnums === true,
  });
  if (json === true) terminal.out(printableJson(found));
  else {
    for (const change of found.changes) terminal.out(lineOf(change), tones[change.severity]);
    terminal.err(summaryOf(found));
  }
  return found.changes.every((change) => severities.indexOf(change.severity) > limit);
}

/** `countersign diff --rules`: every rule with its severities. */
function printRules(json: boolean, { terminal }: Surroundings): void {
  if (json) {
    terminal.out(printableJson(diffRules));
    return;
  }
  terminal.out(["rule".padEnd(24), "request ", "response", "event   ", "what"].join("  "));
  for (const [rule, { title, severities: of }] of Object.entries(diffRules)) {
    const columns = [of.request, of.response, of.event].map((one) => one.padEnd(8));
    terminal.out([rule.padEnd(24), ...columns, title].join("  "));
  }
}

async function readSeverities(file: string | undefined): Promise<SeverityOverrides> {
  if (file === undefined) return {};
  let document: unknown;
  try {
    document = JSON.parse(await readFile(file, "utf8"));
  } catch (cause) {
    throw badArgument(`the file of --severity cannot be read: ${file}`, cause);
  }
  if (typeof document !== "object" || document === null || Array.isArray(document))
    throw badArgument("the file of --severity must hold an object of severities by rule");
  for (const [rule, chosen] of Object.entries(document)) requireChoice(rule, chosen);
  // Each rule and each severity has been checked.
  return document;
}

function requireChoice(rule: string, chosen: unknown): void {
  if (!Object.hasOwn(diffRules, rule))
    throw badArgument(
      `unknown rule ${JSON.stringify(rule)} in --severity; list the rules with --rules`,
    );
  const isSeverity = (one: unknown): boolean =>
    one === "NONE" || severities.some((of) => of === one);
  const isByDirection =
    typeof chosen === "object" &&
    chosen !== null &&
    Object.entries(chosen).every(([name, one]) => directions.includes(name) && isSeverity(one));
  if (!isSeverity(chosen) && !isByDirection)
    throw badArgument(
      `--severity gives ${rule} no ERR, WARN, INFO or NONE, nor one by request, response, event`,
    );
}

const tones: Readonly<Record<Change["severity"], Tone>> = {
  ERR: "bad",
  WARN: "mild",
  INFO: "soft",
};

function lineOf({ severity, direction, rule, place, message, example }: Change): string {
  const what = place === `${message}#` || place.endsWith(`/${message}`) ? "" : `  ${message}`;
  const value = example === undefined ? "" : `\n      for example ${cut(JSON.stringify(example))}`;
  return (
    printable(`${severity.padEnd(4)}  ${direction.padEnd(8)}  ${rule}  ${place}${what}`) + value
  );
}

/** The beginning of a long example; `--json` has all of it. */
const cut = (text: string): string =>
  printable(text.length > 300 ? `${text.slice(0, 299)}…` : text);

function summaryOf({ changes, note }: Diff): string {
  const counts = severities.map(
    (severity) => `${changes.filter((one) => one.severity === severity).length} ${severity}`,
  );
  const sum = `${changes.length} change${changes.length === 1 ? "" : "s"}: ${counts.join(", ")}`;
  return note === undefined ? sum : `${sum}\n${note}`;
}
