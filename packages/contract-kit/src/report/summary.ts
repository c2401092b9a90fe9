import { levels } from "../check.ts";
import type { ReportDocument, ReportEntry } from "./document.ts";

/** The subject of a report, as names and values for people. */
export function aboutRows({ about }: ReportDocument): readonly (readonly [string, string])[] {
  return [
    ["target", about.target],
    ["role", about.role],
    [profileLabel(about), about.profile],
    ...(about.requirements === undefined ? [] : [["requirements", about.requirements] as const]),
    ["seed", String(about.seed)],
    ["fails on", about.failOn.join(", ")],
    ["started", about.startedAt],
    ["kit", about.kit],
  ];
}

/** A provider's service is judged by a profile, a receiver and a sender by the document of their provider. */
export function profileLabel({ role }: ReportDocument["about"]): string {
  return role === "provider" ? "profile" : "provider";
}

/** The first line of every summary: PASS or FAIL, then why. */
export function verdictOf({ exitCode, entries }: ReportDocument): string {
  switch (exitCode) {
    case 0: {
      const warned = countOf(entries, ({ status }) => status === "warn");
      const known = entries.some(({ isKnown }) => isKnown) ? "nothing new fails" : "nothing fails";
      const warnings = warned === 1 ? "; 1 warning" : warned === 0 ? "" : `; ${warned} warnings`;
      return `PASS: ${known}${warnings}`;
    }
    case 1: {
      const failed = countOf(entries, ({ status, isKnown }) => status === "fail" && !isKnown);
      const what = failed === 1 ? "1 requirement does" : `${failed} requirements do`;
      return `FAIL: ${what} not hold`;
    }
    case 2:
      return "FAIL: the target could not be judged";
    default:
      return exitCode satisfies never;
  }
}

/** The status of an entry in one word. */
export function statusWord({ status, isKnown }: Pick<ReportEntry, "status" | "isKnown">): string {
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

/** From the gravest. */
const kinds = ["fail", "error", "warn", "known to fail", "pass", "skipped", "not applicable"];

/** `50 pass, 2 fail`: how many requirements there are of each kind. One that several checks test counts once, as the gravest. */
export function countsOf(entries: readonly ReportEntry[]): string {
  const ranks = new Map<string, number>();
  for (const entry of entries) {
    const rank = kinds.indexOf(entry.isKnown ? "known to fail" : entry.status.replace("_", " "));
    ranks.set(subjectOf(entry), Math.min(rank, ranks.get(subjectOf(entry)) ?? rank));
  }
  const all = [...ranks.values()];
  const counts = ["pass", ...kinds.filter((kind) => kind !== "pass")].map(
    (kind) => `${all.filter((rank) => kinds[rank] === kind).length} ${kind}`,
  );
  return counts.filter((one) => !one.startsWith("0 ")).join(", ") || "nothing was verified";
}

/** The requirement of an entry, or the pact's interaction that names none. */
export const subjectOf = ({ requirement, id }: ReportEntry): string => requirement ?? id;

function countOf(entries: readonly ReportEntry[], isCounted: (entry: ReportEntry) => boolean) {
  return new Set(entries.filter(isCounted).map(subjectOf)).size;
}

/** Facts that a reader needs before the entries, each with its label. */
export function headNotes({ problems, notes, fixed = [] }: ReportDocument): readonly Labelled[] {
  return [
    ...problems.map((text) => ({ label: "problem", text })),
    ...notes.map((text) => ({ label: "note", text })),
    ...fixed.map((text) => ({ label: "fixed; remove it from the baseline", text })),
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

/** The parts of an entry below its message; of more than `most` exchanges the first ones and the last, which failed. */
export function partsOf(entry: ReportEntry, most: number = Infinity): readonly Part[] {
  const { source, why, fix, exchanges = [], replay, page, group, requirement } = entry;
  const left = Math.max(0, exchanges.length - most);
  const command = page === undefined ? undefined : `countersign requirements ${requirement ?? ""}`;
  const level = levelOf(entry);
  const parts: readonly (readonly [label: string, form: Part["form"], text: string | undefined])[] =
    [
      ["level", "text", source === undefined ? level : `${level}, ${source}`],
      ["why", "text", why],
      ["fix", "text", fix],
      ...exchanges.toSpliced(most - 1, left).flatMap(({ sent, received }, index) => {
        const label = left > 0 && index === most - 1 ? `sent, after ${left} more` : "sent";
        return [
          [label, "block", sent] as const,
          ["received", "block", received || "(nothing)"] as const,
        ];
      }),
      ["check", "code", group],
      ["read", "page", page],
      ["or", "code", command],
      ["again", "code", replay],
    ];
  return parts.flatMap(([label, form, text = ""]) =>
    text === "" ? [] : { label, form, text: text.trimEnd() },
  );
}

/** True if an entry fails, warns or broke: formats show its parts. */
export function isWrong({ status }: Pick<ReportEntry, "status">): boolean {
  return status === "fail" || status === "warn" || status === "error";
}

/** True if an entry was skipped, or its requirement does not apply to the target. */
export function isNotJudged({ status }: Pick<ReportEntry, "status">): boolean {
  return status === "skipped" || status === "not_applicable";
}

export function levelOf({ level }: Pick<ReportEntry, "level">): string {
  return level ?? "agreed with a consumer";
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
