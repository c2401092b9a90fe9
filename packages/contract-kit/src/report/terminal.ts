import { terminalLine, terminalLines } from "./escape.ts";
import type { Exchange } from "../finding.ts";
import { gravestFirst } from "./gravest-first.ts";
import type { ReportDocument, ReportEntry } from "./report-document.ts";

const words: Readonly<Record<ReportEntry["status"], string>> = {
  pass: "pass",
  fail: "FAIL",
  warn: "warn",
  error: "ERROR",
  skipped: "skip",
  not_applicable: "n/a",
};

/**
 * An entry for a terminal: a line where it passes, and below what does not hold what came, why it matters,
 * what was sent and received, what to change, and what shows it again.
 */
export function terminalEntry(entry: ReportEntry): readonly string[] {
  const { status, requirement = "-", name, message, isKnown } = entry;
  const word = isKnown ? "known" : words[status];
  const head = terminalLine(`${word.padEnd(5)}  ${requirement.padEnd(26)}  ${name}`);
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
  const { message, level, source, why, fix, evidence, replay, page, group, requirement } = entry;
  return [
    ...terminalLines(message),
    ...named("owed", source === undefined ? level : `${level}, ${source}`),
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

/** The last lines: what was verified, the counts, and what nothing tests. */
export function terminalSummary(document: ReportDocument): readonly string[] {
  const { about, entries, uncovered, notes, problems, baseline } = document;
  const counts = countsOf(entries);
  const unchecked = uncovered.filter((one) => one.unchecked !== undefined).map(({ id }) => id);
  const left = uncovered.length - unchecked.length;
  return [
    "",
    document.title,
    ...notHolding(entries),
    `profile ${about.profile.name}, seed ${about.seed}, kit ${about.kit}, requirements ${about.requirements.slice(0, 19)}, ${about.startedAt}`,
    ...notes.map((note) => `note: ${note}`),
    ...(unchecked.length === 0 ? [] : [`no check tests these ${unchecked.length}:`]),
    ...rows(unchecked),
    ...(left === 0 ? [] : [`left out of this run: ${left} requirements that checks test`]),
    ...(baseline?.mended ?? []).map((id) => `mended: remove it from the baseline: ${id}`),
    ...(baseline?.unjudged ?? []).map((id) => `in the baseline, and not judged by this run: ${id}`),
    ...problems.map((problem) => `problem: ${problem}`),
    counts === "" ? "nothing was verified" : counts,
  ].flatMap(terminalLines);
}

/** What does not hold, once more: the blocks above may be far away. */
function notHolding(entries: readonly ReportEntry[]): readonly string[] {
  const wrong = gravestFirst(entries);
  if (wrong.length === 0) return [];
  const told = wrong.map(({ requirement, group, status, isKnown }) => {
    const word = isKnown ? "known" : words[status];
    return `${word} ${requirement ?? group},`;
  });
  return ["these do not hold:", ...rows([...new Set(told)]).map((line) => line.replace(/,$/, ""))];
}

/** `50 pass, 2 fail, 1 known`: how many entries there are of each kind. */
export function countsOf(entries: readonly ReportEntry[]): string {
  const known = entries.filter(({ isKnown }) => isKnown).length;
  return (Object.keys(words) as ReportEntry["status"][])
    .map((status): [string, number] => [
      status.replace("_", " "),
      entries.filter((one) => one.status === status && !one.isKnown).length,
    ])
    .concat([["known to fail", known]])
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `${count} ${word}`)
    .join(", ");
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
