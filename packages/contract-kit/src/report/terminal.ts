import type { ReportDocument, ReportEntry } from "./document.ts";
import { terminalLine } from "@countersign/rules";
import { terminalLines } from "./escape.ts";
import {
  countsOf,
  gravestFirst,
  isNotJudged,
  isWrong,
  levelOf,
  headNotes,
  partsOf,
  profileLabel,
  verdictOf,
  statusWord,
  subjectOf,
} from "./summary.ts";

/**
 * An entry for a terminal: one line if it passes; below a failure what was expected, why it matters, what was
 * sent and received, what to change, and the command that shows it again.
 *
 * @param width Columns of the terminal. Sentences are wrapped to it at spaces; URLs, bytes and commands stay whole.
 */
export function terminalEntry(entry: ReportEntry, width: number = Infinity): readonly string[] {
  const { requirement = "-", name } = entry;
  const head = terminalLine(`${statusWord(entry).padEnd(5)}  ${requirement.padEnd(26)}  ${name}`);
  if (!isWrong(entry)) return [head];
  return [head, ...terminalDetails(entry, width - 7).map(indented), ""];
}

/** Below a head; a blank line stays one. */
function indented(line: string): string {
  return `       ${line}`.trimEnd();
}

/** The message and the parts of a failure. A terminal is read from its end: of many exchanges it shows two. */
export function terminalDetails(entry: ReportEntry, width: number = Infinity): readonly string[] {
  const parts = partsOf(entry, 2).flatMap(({ label, text, form }) => {
    if (form === "block") return [`${label}:`, ...terminalLines(text).map((line) => `  ${line}`)];
    const [first = "", ...more] = wrapped(text, form === "text" ? width - 7 : Infinity);
    return [`${label.padEnd(6)} ${first}`, ...more.map((line) => `       ${line}`)];
  });
  return [...wrapped(entry.message, width), ...parts];
}

/** The last lines: the verdict, then what was verified, and what nothing tests. */
export function terminalSummary(
  document: ReportDocument,
  width: number = Infinity,
): readonly string[] {
  const { about, entries, uncovered } = document;
  const unchecked = uncovered.filter((one) => one.unchecked !== undefined).map(({ id }) => id);
  const left = uncovered.length - unchecked.length;
  const judged = new Set(entries.filter((one) => !isNotJudged(one)).map(subjectOf));
  const unjudged = entries.filter((one) => !judged.has(subjectOf(one)));
  const judgedBy = about.requirements === undefined ? "" : `requirements ${about.requirements}, `;
  return [
    "",
    `${verdictOf(document)} (${countsOf(entries)}): ${document.title}`,
    // Repeats failures and warnings by level: their blocks may have scrolled away.
    ...listedBy(gravestFirst(entries), (one) => `${statusWord(one)} ${levelOf(one)}:`, width),
    // Many requirements that were skipped or do not apply share their reason.
    ...listedBy(unjudged, (one) => `${statusWord(one)}: ${one.message}`, width),
    ...headNotes(document).map(({ label, text }) => `${label}: ${text}`),
    ...requirementsAre(unchecked.length, "not covered by a check (listed below)"),
    ...rows(unchecked, width),
    ...requirementsAre(left, "covered by checks that this run left out"),
    `${profileLabel(about)} ${about.profile}, ${judgedBy}seed ${about.seed}, kit ${about.kit}, ${about.startedAt}`,
  ].flatMap((line) => (line.startsWith(" ") ? terminalLines(line) : wrapped(line, width)));
}

function requirementsAre(count: number, what: string): readonly string[] {
  const are = count === 1 ? "requirement is" : "requirements are";
  return count === 0 ? [] : [`${count} ${are} ${what}`];
}

/** Lists requirements below what their entries have in common. */
function listedBy(
  entries: readonly ReportEntry[],
  headOf: (entry: ReportEntry) => string,
  width: number,
): readonly string[] {
  return [...Map.groupBy(entries, headOf)].flatMap(([head, those]) => {
    const names = those.map(({ requirement, group }) => requirement ?? group);
    return [head, ...rows([...new Set(names)], width)];
  });
}

function rows(ids: readonly string[], width: number): readonly string[] {
  if (ids.length === 0) return [];
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
    const lines = [first];
    for (const word of words) {
      const last = lines.at(-1) ?? "";
      if (last !== "" && last.length + word.length >= room) lines.push(word);
      else lines[lines.length - 1] = `${last} ${word}`;
    }
    // Escaped again, since a line may begin elsewhere now.
    return lines.map((one) => terminalLine(one.replaceAll("\0", " ")));
  });
}
