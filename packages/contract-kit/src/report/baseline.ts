import type { ReportDocument, ReportEntry } from "./document.ts";

/**
 * The ids of the failures in the JSON report of an earlier run.
 *
 * @throws {TypeError} The value is not a report: its `entries` have no ids and statuses.
 */
export function failuresIn(report: unknown): ReadonlySet<string> {
  const { entries } = (report ?? {}) as { readonly entries?: unknown };
  if (!Array.isArray(entries))
    throw new TypeError('expected a JSON report with the list "entries"');
  const ids = entries.flatMap((entry: Partial<ReportEntry> | null, index) => {
    if (typeof entry?.id !== "string" || typeof entry.status !== "string")
      throw new TypeError(`expected "id" and "status" at /entries/${String(index)}`);
    return entry.status === "fail" ? [entry.id] : [];
  });
  return new Set(ids);
}

/**
 * The report with known failures marked. A new failure fails the run; so do the reasons why it is invalid. A warning
 * is not a failure.
 *
 * @param known `ReportEntry.id` of each known failure.
 */
export function againstBaseline(
  document: ReportDocument,
  known: ReadonlySet<string>,
): ReportDocument {
  const entries = document.entries.map((entry) => {
    return { ...entry, isKnown: known.has(entry.id) && entry.status === "fail" };
  });
  const fixed = entries.flatMap(({ id, status }) => (status === "pass" && known.has(id) ? id : []));
  const hasNew = entries.some(({ status, isKnown }) => status === "fail" && !isKnown);
  const hasError = entries.some(({ status }) => status === "error") || document.problems.length > 0;
  // If no failure is new, the exit code 1 becomes 0; a code 2 stays.
  const isExcused = document.exitCode === 1 && !hasNew;
  const exitCode = isExcused ? (hasError ? 2 : 0) : document.exitCode;
  return { ...document, entries, fixed, exitCode };
}
