import { levels } from "../check.ts";
import type { ReportDocument, ReportEntry } from "./document.ts";

/** The subject of a report, as names and values for people. */
export function aboutRows({ about }: ReportDocument): readonly (readonly [string, string])[] {
  return [
    ["target", about.target],
    ["role", about.role],
    ["profile", about.profile],
    ...(about.requirements === undefined ? [] : [["requirements", about.requirements] as const]),
    ["seed", String(about.seed)],
    ["fails on", about.failOn.join(", ")],
    ["started", about.startedAt],
    ["kit", about.kit],
  ];
}

/** The first line of every summary: PASS or FAIL, then why. */
export function verdictOf({ exitCode, entries }: ReportDocument): string {
  switch (exitCode) {
    case 0: {
      const warned = entries.filter(({ status }) => status === "warn").length;
      const known = entries.some(({ isKnown }) => isKnown) ? "nothing new fails" : "nothing fails";
      const warnings = warned === 1 ? "; 1 warning" : warned === 0 ? "" : `; ${warned} warnings`;
      return `PASS: ${known}${warnings}`;
    }
    case 1: {
      const failed = entries.filter(({ status, isKnown }) => status === "fail" && !isKnown);
      const what = failed.length === 1 ? "1 requirement does" : `${failed.length} requirements do`;
      return `FAIL: ${what} not hold`;
    }
    case 2:
      return "FAIL: the target could not be judged";
    default:
      return exitCode satisfies never;
  }
}

/** The status of an entry in one word. */
export function wordOf({ status, isKnown }: Pick<ReportEntry, "status" | "isKnown">): string {
  return isKnown ? "known" : words[status];
}

const words: Readonly<Record<ReportEntry["status"], string>> = {
  pass: "pass",
  fail: "FAIL",
  warn: "warn",
  error: "ERROR",
  skipped: "skip",
  not_applicable: "n/a",
};

/** `50 pass, 2 fail, 1 known to fail`: how many entries there are of each kind. */
export function countsOf(entries: readonly ReportEntry[]): string {
  const known = entries.filter(({ isKnown }) => isKnown).length;
  const counts = (Object.keys(words) as ReportEntry["status"][])
    .map((status): [string, number] => [
      status.replace("_", " "),
      entries.filter((one) => one.status === status && !one.isKnown).length,
    ])
    .concat([["known to fail", known]])
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `${count} ${word}`);
  return counts.join(", ") || "nothing was verified";
}

/** Facts that a reader needs before the entries, each with its label. */
export function newsOf({ problems, notes, baseline }: ReportDocument): readonly Labelled[] {
  const labelled = (label: string, texts: readonly string[] = []): readonly Labelled[] =>
    texts.map((text) => ({ label, text }));
  return [
    ...labelled("problem", problems),
    ...labelled("note", notes),
    ...labelled("fixed; remove it from the baseline", baseline?.mended),
    ...labelled("in the baseline, not judged by this run", baseline?.unjudged),
  ];
}

interface Labelled {
  readonly label: string;
  readonly text: string;
}

/** A part of an entry that does not hold. */
export interface Part extends Labelled {
  /** `block`: lines of the wire or of a shell. `code`: words of a program. `page`: an address. */
  readonly form: "text" | "code" | "page" | "block";
}

/**
 * The parts of an entry below its message, in order. A format decides how each form looks.
 *
 * @param most Exchanges that are shown; of more the first ones and the last, which failed.
 */
export function partsOf(entry: ReportEntry, most: number = Infinity): readonly Part[] {
  const { why, fix, evidence, replay, page, group, requirement } = entry;
  const { exchanges = [], curl = [] } = evidence ?? {};
  const left = Math.max(0, exchanges.length - most);
  const command = page === undefined ? undefined : `countersign requirements ${requirement ?? ""}`;
  const parts: readonly (Omit<Part, "text"> & { readonly text: string | undefined })[] = [
    { label: "level", form: "text", text: owedOf(entry) },
    { label: "why", form: "text", text: why },
    { label: "fix", form: "text", text: fix },
    ...exchanges.toSpliced(most - 1, left).flatMap(({ sent, received }, index): readonly Part[] => [
      {
        label: left > 0 && index === most - 1 ? `sent, after ${left} more` : "sent",
        form: "block",
        text: sent,
      },
      { label: "received", form: "block", text: received || "(nothing)" },
    ]),
    { label: "to see it, with the access token in TOKEN", form: "block", text: curl.join("\n") },
    { label: "check", form: "code", text: group },
    { label: "read", form: "page", text: page },
    { label: "or", form: "code", text: command },
    { label: "again", form: "code", text: replay },
  ];
  return parts.flatMap(({ text = "", ...part }) =>
    text === "" ? [] : [{ ...part, text: text.trimEnd() }],
  );
}

/** True if an entry fails, warns or broke: formats show its parts. */
export function isWrong({ status }: Pick<ReportEntry, "status">): boolean {
  return status === "fail" || status === "warn" || status === "error";
}

export function levelOf({ level }: Pick<ReportEntry, "level">): string {
  return level ?? "agreed with a consumer";
}

/** A requirement's level and where it is written, in one line. */
function owedOf(entry: Pick<ReportEntry, "level" | "source">): string {
  return entry.source === undefined ? levelOf(entry) : `${levelOf(entry)}, ${entry.source}`;
}

/** Entries that do not hold: failures, broken checks, warnings, known failures; each by its level. */
export function gravestFirst(entries: readonly ReportEntry[]): readonly ReportEntry[] {
  const byLevel = entries.toSorted((a, b) => rankOf(a) - rankOf(b));
  return [
    ...byLevel.filter(({ status, isKnown }) => status === "fail" && !isKnown),
    ...entries.filter(({ status }) => status === "error"),
    ...byLevel.filter(({ status }) => status === "warn"),
    ...byLevel.filter(({ isKnown }) => isKnown),
  ];
}

function rankOf({ level }: ReportEntry): number {
  return level === undefined ? -1 : levels.indexOf(level);
}
