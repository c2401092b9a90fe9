import type { ReportDocument, ReportEntry } from "./report-document.ts";

/**
 * Failures that are known: told as ever, they fail no run. As JSON it fits `schemas/baseline.schema.json`.
 */
export interface Baseline {
  readonly known: readonly KnownFailure[];
}

export interface KnownFailure {
  /** `ReportEntry.id`. */
  readonly id: string;
  /** Why it is not mended yet, for whoever reads the file. */
  readonly reason?: string;
}

/** What became of the failures of a baseline in a run. */
export interface BaselineNews {
  /** Ids that fail as they did. */
  readonly known: readonly string[];
  /** Ids that pass now: to be taken out of the baseline. */
  readonly mended: readonly string[];
  /** Ids that this run says nothing of: left out, not applicable, or no check has them. */
  readonly unjudged: readonly string[];
}

/**
 * The report with the failures that a baseline has marked as known. A new failure fails the run; so does
 * what keeps it from saying anything. A warning is no failure, and a baseline does not change it.
 */
export function againstBaseline(document: ReportDocument, { known }: Baseline): ReportDocument {
  const ids = new Set(known.map(({ id }) => id));
  const entries = document.entries.map((entry) => ({
    ...entry,
    isKnown: ids.has(entry.id) && isFailure(entry),
  }));
  const withStatus = (...of: readonly ReportEntry["status"][]): readonly string[] =>
    entries.filter(({ id, status }) => ids.has(id) && of.includes(status)).map(({ id }) => id);
  const failing = withStatus("fail");
  const mended = withStatus("pass");
  const unjudged = [...ids].filter((id) => !failing.includes(id) && !mended.includes(id));
  const isNew = entries.some((entry) => isFailure(entry) && !entry.isKnown);
  const hasError = entries.some(({ status }) => status === "error") || document.problems.length > 0;
  // Without a failure, what ended a run with 1 has become known; what ended it with 2 stays.
  const exitCode = document.exitCode === 1 && !isNew ? (hasError ? 2 : 0) : document.exitCode;
  return { ...document, entries, baseline: { known: failing, mended, unjudged }, exitCode };
}

/**
 * The baseline that a run leaves: what fails now, with the reasons that were given, and what the run says
 * nothing of.
 */
export function baselineOf(
  { entries }: Pick<ReportDocument, "entries">,
  before: Baseline = { known: [] },
): Baseline {
  const passed = new Set(entries.filter(({ status }) => status === "pass").map(({ id }) => id));
  const kept = before.known.filter(({ id }) => !passed.has(id));
  const added = entries
    .filter((entry) => isFailure(entry) && kept.every(({ id }) => id !== entry.id))
    .map(({ id }) => ({ id }));
  return { known: [...kept, ...added].toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
}

function isFailure({ status }: ReportEntry): boolean {
  return status === "fail";
}
