import type { ReportDocument } from "./report-document.ts";

/** What a report is of, as names and values for people. */
export function aboutRows({ about }: ReportDocument): readonly (readonly [string, string])[] {
  return [
    ["target", about.target],
    ["role", about.role],
    ["profile", `${about.profile.name} (${about.profile.digest})`],
    ["seed", String(about.seed)],
    ["strict", about.strict ? "yes: a SHOULD that does not hold fails" : "no"],
    ["started", about.startedAt],
    ["kit", about.kit],
    ["requirements", about.requirements],
  ];
}

/** In a few words, whether the target keeps its word. */
export function verdictOf({ exitCode, entries }: ReportDocument): string {
  const failed = entries.filter(({ status, isKnown }) => status === "fail" && !isKnown).length;
  switch (exitCode) {
    case 0:
      return entries.some(({ isKnown }) => isKnown)
        ? "Nothing fails that was not known to"
        : "All that was tested holds";
    case 1:
      return failed === 1 ? "One requirement does not hold" : `${failed} requirements do not hold`;
    case 2:
      return "This run says too little";
    default:
      return exitCode satisfies never;
  }
}
