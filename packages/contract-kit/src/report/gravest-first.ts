import type { ReportEntry } from "./report-document.ts";

/** What does not hold: failures, then what broke, warnings, and last what is known to fail. */
export function gravestFirst(entries: readonly ReportEntry[]): readonly ReportEntry[] {
  return [
    ...entries.filter(({ status, isKnown }) => status === "fail" && !isKnown),
    ...entries.filter(({ status }) => status === "error"),
    ...entries.filter(({ status }) => status === "warn"),
    ...entries.filter(({ isKnown }) => isKnown),
  ];
}
