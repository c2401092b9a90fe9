import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { readSchema, readSchemaSet, type SchemaSet } from "@countersign/contract-kit/derive";
import {
  diffRules,
  diffSchemas,
  openApiDirection,
  openApiSet,
  type Change,
  type Severity,
  type SeverityOverrides,
} from "@countersign/contract-kit/diff";
import { badArgument } from "../failure.ts";
import { choice } from "../options.ts";
import { printable, printableJson } from "../printable.ts";
import type { Surroundings, Tone } from "../terminal.ts";

const help = `
Compares the *.schema.json files (or the *.json files, if there are none) below two folders, or two OpenAPI
3.1 files. Which peers a change breaks depends on who writes the documents that a schema describes. In a
folder, documents below events/ are events, *-request are requests, profiles are written by the operator of a
service, the rest are responses. ERR breaks correct peers; WARN may break peers that relied on something not
promised; INFO breaks no peer. If no change is ERR, a search looks for a value that one side accepts and the
other refuses.

The file of --severity is JSON: {"bound-loosened": "INFO", "kind-added": {"event": "WARN"}}; NONE leaves
a rule out. Exits with 1 if a change is at least as severe as --fail-on, with 2 if the schemas cannot be read
or compared, otherwise with 0.

Examples:
  countersign diff schemas-1.0 schemas-1.1
  countersign diff openapi-1.0.json openapi-1.1.json
  countersign diff old new --fail-on WARN --severity severities.json --json
  countersign diff --rules`;

interface DiffOptions {
  readonly severity: string | undefined;
  readonly failOn: Severity;
  readonly rules: boolean | undefined;
  readonly json: boolean | undefined;
}

const severities: readonly Severity[] = ["ERR", "WARN", "INFO"];
const directions: readonly string[] = ["request", "response", "event"];

/** `countersign diff`. */
export function declareDiff(command: Command, surroundings: Surroundings): void {
  command
    .argument("[old-dir]", "folder of the old schemas, or OpenAPI file")
    .argument("[new-dir]", "folder of the new schemas, or OpenAPI file")
    .option("--severity <file>", "JSON file of severities by rule")
    .addOption(
      choice("--fail-on <severity>", "lowest severity that exits with 1", severities).default(
        "ERR",
      ),
    )
    .option("--rules", "list the rules with their severities, and compare nothing")
    .option("--json", "print one JSON object instead of lines")
    .addHelpText("after", help)
    .action(
      async (oldDir: string | undefined, newDir: string | undefined, options: DiffOptions) => {
        if (options.rules === true) return printRules(options.json === true, surroundings);
        if (oldDir === undefined || newDir === undefined)
          throw badArgument("missing folders to compare: OLD_DIR NEW_DIR");
        if (!(await diff(oldDir, newDir, options, surroundings))) surroundings.unmet();
      },
    );
}

/** @returns True if every change is less severe than `--fail-on`. */
async function diff(
  oldDir: string,
  newDir: string,
  { severity, failOn, json }: DiffOptions,
  { terminal }: Surroundings,
): Promise<boolean> {
  const limit = severities.indexOf(failOn);
  const overrides = await readSeverities(severity);
  const changes = compared(oldDir, newDir, overrides);
  if (json === true) terminal.out(printableJson({ changes }));
  else {
    for (const change of changes) terminal.out(lineOf(change), tones[change.severity]);
    terminal.err(summaryOf(changes));
  }
  return changes.every((change) => severities.indexOf(change.severity) > limit);
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

function compared(old: string, now: string, overrides: SeverityOverrides): readonly Change[] {
  const areFiles = [old, now].map(isFile);
  if (areFiles[0] !== areFiles[1])
    throw badArgument("expected two folders or two files, got one of each");
  const [before, after] = [old, now].map((place) => read(place, areFiles[0] === true));
  if (before === undefined || after === undefined) throw new TypeError("two places were read");
  try {
    return diffSchemas(before, after, {
      severities: overrides,
      ...(areFiles[0] === true && { directionOf: openApiDirection }),
    });
  } catch (cause) {
    throw badArgument(`these schemas cannot be compared: ${reasonOf(cause)}`, cause);
  }
}

function isFile(place: string): boolean {
  const found = statSync(place, { throwIfNoEntry: false });
  if (found === undefined) throw badArgument(`${place} not found`);
  return found.isFile();
}

function read(place: string, isOpenApi: boolean): SchemaSet {
  let set: SchemaSet;
  try {
    // Any object: the reader of OpenAPI checks the members that it needs.
    set = isOpenApi ? openApiSet({ ...readSchema(place) }) : readSchemaSet(place);
  } catch (cause) {
    const what = isOpenApi ? place : `a schema below ${place}`;
    throw badArgument(`${what} cannot be read: ${reasonOf(cause)}`, cause);
  }
  if (set.paths.length === 0) throw badArgument(`no schema (*.json) found in ${place}`);
  return set;
}

/** The first line of an error that a user's document caused. */
function reasonOf(cause: unknown): string {
  if (cause instanceof RangeError) return "they refer to themselves";
  return (cause instanceof Error ? cause.message : String(cause)).replace(/\n.*/s, "");
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

function lineOf({ severity, direction, rule, place, message }: Change): string {
  const what = place === `${message}#` || place.endsWith(`/${message}`) ? "" : `  ${message}`;
  return printable(`${severity.padEnd(4)}  ${direction.padEnd(8)}  ${rule}  ${place}${what}`);
}

function summaryOf(changes: readonly Change[]): string {
  const counts = severities.map(
    (severity) => `${changes.filter((one) => one.severity === severity).length} ${severity}`,
  );
  return `${changes.length} change${changes.length === 1 ? "" : "s"}: ${counts.join(", ")}`;
}
