import type { ReportDocument, ReportEntry } from "./document.ts";
import {
  aboutRows,
  countsOf,
  gravestFirst,
  headNotes,
  isWrong,
  partsOf,
  statusWord,
  verdictOf,
} from "./summary.ts";

/** Prints the parts of a page. `text`, `code`, `link` and `lines` escape; the others get what these have printed. */
export interface PageFormat {
  readonly text: (text: string) => string;
  readonly code: (text: string) => string;
  readonly link: (address: string) => string;
  /** Lines of the wire or of a shell, as they are. */
  readonly lines: (text: string, label?: string) => string;
  readonly heading: (level: 1 | 2, words: string) => string;
  readonly paragraph: (words: string) => string;
  readonly list: (items: readonly (readonly [label: string, words: string])[]) => string;
  readonly table: (head: readonly string[], rows: readonly (readonly string[])[]) => string;
  readonly fold: (summary: string, block: string) => string;
}

/** A report for people, as blocks that a format has printed. */
export interface ReportPage {
  readonly head: readonly string[];
  /** Each entry that does not hold, the gravest first. */
  readonly failures: readonly {
    readonly status: ReportEntry["status"];
    readonly blocks: readonly string[];
  }[];
  readonly rest: readonly string[];
}

export function printPage(document: ReportDocument, format: PageFormat): ReportPage {
  const { entries, uncovered } = document;
  const { text, code, heading, paragraph, list, table, fold } = format;
  const untested = uncovered.map(({ id, level, sentence, unchecked = "Left out of this run." }) => {
    return [code(id), text(level), text(sentence), text(unchecked)];
  });
  const findings = entries.map((entry) => {
    const { requirement, level = "", name, ms, message } = entry;
    const reason = isWrong(entry) || message === "" ? "" : `: ${message}`;
    const id = requirement === undefined ? "" : code(requirement);
    const word = text(`${statusWord(entry)}${reason}`);
    return [word, id, text(name), text(level), String(Math.round(ms))];
  });
  return {
    head: [
      heading(1, text(`${verdictOf(document)}: ${document.title}`)),
      paragraph(text(`${countsOf(entries)}.`)),
      list(headNotes(document).map((note) => [note.label, text(note.text)])),
    ],
    failures: gravestFirst(entries).map((entry) => ({
      status: entry.isKnown ? "warn" : entry.status,
      blocks: printFailure(entry, format),
    })),
    rest: [
      heading(2, "All findings"),
      fold(
        `${entries.length} findings`,
        table(["finding", "requirement", "what", "level", "ms"], findings),
      ),
      uncovered.length === 0
        ? ""
        : fold(
            `Not covered: ${uncovered.length} requirements`,
            table(["requirement", "level", "what", "why"], untested),
          ),
      heading(2, "About this run"),
      list(aboutRows(document).map(([label, value]) => [label, code(value)])),
    ],
  };
}

function printFailure(entry: ReportEntry, format: PageFormat): readonly string[] {
  const { name, requirement, message } = entry;
  const { text, code, link, lines, heading, list } = format;
  const words = { text, code, page: link };
  const id = requirement === undefined ? [] : [code(requirement)];
  const parts = partsOf(entry);
  return [
    heading(2, [text(statusWord(entry)), ...id, text(name)].join(" ")),
    lines(message),
    list(
      parts.flatMap((part) =>
        part.form === "block" ? [] : [[part.label, words[part.form](part.text)] as const],
      ),
    ),
    ...parts.flatMap((part) => (part.form === "block" ? lines(part.text, part.label) : [])),
  ];
}
