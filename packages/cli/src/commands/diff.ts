import { readFile } from "node:fs/promises";
import {
  OutsideSubsetError,
  readSchemaSet,
  type SchemaSet,
} from "@countersign/contract-kit/derive";
import {
  diffRules,
  diffSchemas,
  type Change,
  type Severity,
  type SeverityOverrides,
} from "@countersign/contract-kit/diff";
import { Failure } from "../failure.ts";
import { printable, printableJson } from "../printable.ts";
import type { Surroundings } from "../terminal.ts";

export interface DiffCommand {
  readonly oldDir: string;
  readonly newDir: string;
  /** JSON file of severities by rule. */
  readonly severity: string | undefined;
  readonly failOn: string;
  readonly json: boolean;
}

const severities: readonly Severity[] = ["ERR", "WARN", "INFO"];
const directions: readonly string[] = ["request", "response", "event"];

/**
 * `countersign diff`: what has changed between two folders of schemas, and whom it breaks.
 *
 * @returns Whether no change is as grave as `--fail-on` or graver.
 */
export async function runDiff(
  command: DiffCommand,
  { terminal }: Pick<Surroundings, "terminal">,
): Promise<boolean> {
  const limit = severities.findIndex((one) => one === command.failOn);
  if (limit === -1) throw unusable(`--fail-on is one of ${severities.join(", ")}`);
  const overrides = await readSeverities(command.severity);
  const [old, now] = [readFolder(command.oldDir), readFolder(command.newDir)];
  const changes = compared(old, now, overrides);
  if (command.json) terminal.out(printableJson({ changes }));
  else {
    for (const change of changes) terminal.out(lineOf(change));
    terminal.err(summaryOf(changes));
  }
  return changes.every(({ severity }) => severities.indexOf(severity) > limit);
}

/** `countersign diff --rules`: every rule with its severities. */
export function printRules(json: boolean, { terminal }: Pick<Surroundings, "terminal">): void {
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

function compared(old: SchemaSet, now: SchemaSet, overrides: SeverityOverrides): readonly Change[] {
  try {
    return diffSchemas(old, now, { severities: overrides });
  } catch (cause) {
    if (!(cause instanceof OutsideSubsetError)) throw cause;
    throw unusable(`these schemas cannot be compared: ${cause.message}`, cause);
  }
}

function readFolder(folder: string): SchemaSet {
  let set: SchemaSet;
  try {
    set = readSchemaSet(folder);
  } catch (cause) {
    throw unusable(`a schema below ${folder} cannot be read`, cause);
  }
  if (set.paths.length === 0) throw unusable(`there is no *.schema.json below ${folder}`);
  return set;
}

async function readSeverities(file: string | undefined): Promise<SeverityOverrides> {
  if (file === undefined) return {};
  let document: unknown;
  try {
    document = JSON.parse(await readFile(file, "utf8"));
  } catch (cause) {
    throw unusable(`the file of --severity cannot be read: ${file}`, cause);
  }
  if (typeof document !== "object" || document === null || Array.isArray(document))
    throw unusable("the file of --severity must hold an object of severities by rule");
  for (const [rule, chosen] of Object.entries(document)) requireChoice(rule, chosen);
  // Each rule and each severity has been checked.
  return document;
}

function requireChoice(rule: string, chosen: unknown): void {
  if (!Object.hasOwn(diffRules, rule))
    throw unusable(`--severity names ${JSON.stringify(rule)}, which is no rule: see --rules`);
  const isSeverity = (one: unknown): boolean =>
    one === "NONE" || severities.some((of) => of === one);
  const isByDirection =
    typeof chosen === "object" &&
    chosen !== null &&
    Object.entries(chosen).every(([name, one]) => directions.includes(name) && isSeverity(one));
  if (!isSeverity(chosen) && !isByDirection)
    throw unusable(
      `--severity gives ${rule} no ERR, WARN, INFO or NONE, nor one by request, response, event`,
    );
}

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

function unusable(message: string, cause?: unknown): Failure {
  return new Failure("CS_CLI_ARGUMENT_UNUSABLE", message, { cause });
}
