import type { Finding, Replay } from "../check.ts";
import type { Exchange } from "../exchange-text.ts";
import { entryOfFinding, type ReportDocument, type ReportEntry } from "./document.ts";
import { terminalLine, terminalLines } from "./escape.ts";
import { countsOf, gravestFirst, levelOf, owedOf, verdictOf, wordOf } from "./summary.ts";

/**
 * An entry for a terminal: one line if it passes; below a failure what was expected, why it matters, what was
 * sent and received, what to change, and the command that shows it again.
 *
 * @param width Columns of the terminal. Sentences are wrapped to it at spaces; URLs, bytes and commands stay whole.
 */
export function terminalEntry(entry: ReportEntry, width: number = Infinity): readonly string[] {
  const { status, requirement = "-", name, message } = entry;
  const head = terminalLine(`${wordOf(entry).padEnd(5)}  ${requirement.padEnd(26)}  ${name}`);
  switch (status) {
    case "pass":
      return [head];
    case "skipped":
    case "not_applicable":
      return [head, ...wrapped(message, width - 7).map(indented)];
    case "fail":
    case "warn":
    case "error":
      return [head, ...terminalDetails(entry, width - 7).map(indented), ""];
    default:
      return status satisfies never;
  }
}

/** Below a head; a blank line stays one. */
function indented(line: string): string {
  return `       ${line}`.trimEnd();
}

/** The parts of a failure, in order. */
export function terminalDetails(entry: ReportEntry, width: number = Infinity): readonly string[] {
  const { message, why, fix, evidence, replay, page, group, requirement } = entry;
  return [
    ...wrapped(message, width),
    ...named("level", owedOf(entry), width),
    ...named("why", why, width),
    ...named("fix", fix, width),
    ...exchangesOf(evidence?.exchanges ?? []),
    ...((evidence?.curl ?? []).length === 0
      ? []
      : block("to see it, with the access token in TOKEN", evidence?.curl.join("\n") ?? "")),
    ...named("check", group),
    ...named("read", page && `${page}, or: countersign requirements ${requirement ?? ""}`, width),
    ...named("again", replay),
  ];
}

/** The last lines: the verdict, then what was verified, and what nothing tests. */
export function terminalSummary(
  document: ReportDocument,
  width: number = Infinity,
): readonly string[] {
  const { about, entries, uncovered, notes, problems, baseline } = document;
  const unchecked = uncovered.filter((one) => one.unchecked !== undefined).map(({ id }) => id);
  const left = uncovered.length - unchecked.length;
  return [
    "",
    `${verdictOf(document)} (${countsOf(entries)}): ${document.title}`,
    ...notHolding(entries, width),
    ...problems.map((problem) => `problem: ${problem}`),
    ...notes.map((note) => `note: ${note}`),
    ...(unchecked.length === 0
      ? []
      : [`${requirementsAre(unchecked.length)} not covered by a check (listed below)`]),
    ...rows(unchecked, width),
    ...(left === 0 ? [] : [`${requirementsAre(left)} covered by checks that this run left out`]),
    ...(baseline?.mended ?? []).map((id) => `fixed; remove it from the baseline: ${id}`),
    ...(baseline?.unjudged ?? []).map((id) => `in the baseline, not judged by this run: ${id}`),
    `profile ${about.profile.name}, seed ${about.seed}, kit ${about.kit}, requirements ${about.requirements.slice(0, 19)}, ${about.startedAt}`,
  ].flatMap((line) => (line.startsWith(" ") ? terminalLines(line) : wrapped(line, width)));
}

function requirementsAre(count: number): string {
  return count === 1 ? "1 requirement is" : `${count} requirements are`;
}

/** Repeats failures and warnings by level: their blocks may have scrolled away. */
function notHolding(entries: readonly ReportEntry[], width: number): readonly string[] {
  const byLevel = Map.groupBy(
    gravestFirst(entries),
    (entry) => `${wordOf(entry)} ${levelOf(entry)}`,
  );
  return [...byLevel].flatMap(([head, those]) => [
    `${head}:`,
    ...rows([...new Set(those.map(({ requirement, group }) => requirement ?? group))], width),
  ]);
}

function rows(ids: readonly string[], width: number): readonly string[] {
  return wrapped(ids.join(" "), Math.min(width, 100) - 2).map((line) => `  ${line}`);
}

/** Lines of at most `width` characters where spaces allow it; code in backticks is not broken. */
function wrapped(text: string, width: number): readonly string[] {
  const room = Math.max(width, 20);
  return terminalLines(text).flatMap((line) => {
    // Odd parts are code.
    const parts = line
      .split("`")
      .map((part, at) => (at % 2 === 1 ? part.replaceAll(" ", "\0") : part));
    const [first = "", ...words] = parts.join("`").split(" ");
    const lines: string[] = [];
    let last = first;
    for (const word of words) {
      if (last === "" || last.length + word.length < room) last += ` ${word}`;
      else {
        lines.push(last);
        last = word;
      }
    }
    // Escaped again, since a line may begin elsewhere now.
    return [...lines, last].map((one) => terminalLine(one.replaceAll("\0", " ")));
  });
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

function named(
  name: string,
  text: string | undefined,
  width: number = Infinity,
): readonly string[] {
  if (text === undefined || text === "") return [];
  const [first = "", ...more] = wrapped(text, width - 7);
  return [`${name.padEnd(6)} ${first}`, ...more.map((line) => `       ${line}`)];
}

function block(name: string, text: string): readonly string[] {
  return [`${name}:`, ...terminalLines(text.trimEnd()).map((line) => `  ${line}`)];
}

export interface FailureTextOptions {
  /** The command that repeats the scenario. Default: the option of `run`, as code. */
  readonly replay?: (check: string, replay: Replay) => string;
}

/**
 * A failure for a terminal: the requirement and its reason, the actual result, the bytes or the scenario as shell lines,
 * the fix, and the command that reproduces it. Nothing in it is a control character but line breaks.
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
