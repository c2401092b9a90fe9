import type { Exchange, Finding, Replay } from "../finding.ts";
import { entryOfFinding, type ReportDocument, type ReportEntry } from "./document.ts";
import { terminalLine, terminalLines } from "./escape.ts";
import { countsOf, gravestFirst, levelOf, owedOf, verdictOf, wordOf } from "./summary.ts";

/**
 * An entry for a terminal: a line where it passes, and below what does not hold what came, why it matters,
 * what was sent and received, what to change, and what shows it again.
 */
export function terminalEntry(entry: ReportEntry): readonly string[] {
  const { status, requirement = "-", name, message } = entry;
  const head = terminalLine(`${wordOf(entry).padEnd(5)}  ${requirement.padEnd(26)}  ${name}`);
  switch (status) {
    case "pass":
      return [head];
    case "skipped":
    case "not_applicable":
      return [head, ...terminalLines(message).map(indented)];
    case "fail":
    case "warn":
    case "error":
      return [head, ...terminalDetails(entry).map(indented), ""];
    default:
      return status satisfies never;
  }
}

/** Below a head; a blank line stays one. */
function indented(line: string): string {
  return `       ${line}`.trimEnd();
}

/** What a failure is about, a part after the other. */
export function terminalDetails(entry: ReportEntry): readonly string[] {
  const { message, why, fix, evidence, replay, page, group, requirement } = entry;
  return [
    ...terminalLines(message),
    ...named("level", owedOf(entry)),
    ...named("why", why),
    ...named("fix", fix),
    ...exchangesOf(evidence?.exchanges ?? []),
    ...((evidence?.curl ?? []).length === 0
      ? []
      : block("to see it, with the access token in TOKEN", evidence?.curl.join("\n") ?? "")),
    ...named("check", group),
    ...named("read", page && `${page}, or: countersign requirements ${requirement ?? ""}`),
    ...named("again", replay),
  ];
}

/** The last lines: the verdict, then what was verified, and what nothing tests. */
export function terminalSummary(document: ReportDocument): readonly string[] {
  const { about, entries, uncovered, notes, problems, baseline } = document;
  const unchecked = uncovered.filter((one) => one.unchecked !== undefined).map(({ id }) => id);
  const left = uncovered.length - unchecked.length;
  return [
    "",
    `${verdictOf(document)} (${countsOf(entries)}): ${document.title}`,
    ...notHolding(entries),
    ...problems.map((problem) => `problem: ${problem}`),
    ...notes.map((note) => `note: ${note}`),
    ...(unchecked.length === 0 ? [] : [`no check tests these ${unchecked.length}:`]),
    ...rows(unchecked),
    ...(left === 0 ? [] : [`left out of this run: ${left} requirements that checks test`]),
    ...(baseline?.mended ?? []).map((id) => `fixed; remove it from the baseline: ${id}`),
    ...(baseline?.unjudged ?? []).map((id) => `in the baseline, not judged by this run: ${id}`),
    `profile ${about.profile.name}, seed ${about.seed}, kit ${about.kit}, requirements ${about.requirements.slice(0, 19)}, ${about.startedAt}`,
  ].flatMap(terminalLines);
}

/** Failures and warnings by level once more: their blocks above may be far away. */
function notHolding(entries: readonly ReportEntry[]): readonly string[] {
  const byLevel = Map.groupBy(
    gravestFirst(entries),
    (entry) => `${wordOf(entry)} ${levelOf(entry)}`,
  );
  return [...byLevel].flatMap(([head, those]) => [
    `${head}:`,
    ...rows([...new Set(those.map(({ requirement, group }) => requirement ?? group))]),
  ]);
}

/** Words in lines of a terminal's width. */
function rows(these: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const word of these) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > 98) lines.push(`  ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** The first and the last, which failed: a terminal is read from its end. */
function exchangesOf(exchanges: readonly Exchange[]): readonly string[] {
  const shown = ({ sent, received }: Exchange): readonly string[] => [
    ...block("sent", sent),
    ...block("received", received || "(nothing)"),
  ];
  const [first, ...more] = exchanges;
  const last = more.at(-1);
  if (first === undefined) return [];
  if (last === undefined) return shown(first);
  const between = more.length - 1;
  const left = between === 0 ? [] : [`(${between} between them, which the reports have)`];
  return [...shown(first), ...left, ...shown(last)];
}

function named(name: string, text: string | undefined): readonly string[] {
  if (text === undefined || text === "") return [];
  const [first = "", ...more] = terminalLines(text);
  return [`${name.padEnd(6)} ${first}`, ...more.map((line) => `       ${line}`)];
}

function block(name: string, text: string): readonly string[] {
  return [`${name}:`, ...terminalLines(text.trimEnd()).map((line) => `  ${line}`)];
}

export interface FailureTextOptions {
  /** What makes the check meet the scenario again. Default: the option of `run`, as code. */
  readonly replay?: (check: string, replay: Replay) => string;
}

/**
 * A failure for a terminal: what is owed and why, what came, the bytes or the scenario as lines for a shell,
 * what to change, and what replays it. Nothing in it is a control character but line breaks.
 */
export function failureText(
  finding: Finding,
  { replay = asOption }: FailureTextOptions = {},
): string {
  const at = finding.evidence?.replay;
  const entry = entryOfFinding(finding, {
    seed: at?.seed ?? 1,
    ...(at && { replay: (check) => replay(check, at) }),
  });
  const head = terminalLine(`${finding.requirement.id} ${entry.name}`);
  return [head, ...terminalDetails(entry).map((line) => `  ${line}`)].join("\n");
}

function asOption(check: string, { seed, path }: Replay): string {
  return `run({ …, only: ["${check}"], seed: ${String(seed)}, path: "${path}" })`;
}
