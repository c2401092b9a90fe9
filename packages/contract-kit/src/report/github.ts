import { aboutRows, verdictOf } from "./about-rows.ts";
import { workflowData, workflowProperty } from "./escape.ts";
import { gravestFirst } from "./gravest-first.ts";
import type { ReportDocument, ReportEntry } from "./report-document.ts";
import { countsOf } from "./terminal.ts";

/**
 * The report as workflow commands of GitHub Actions, which show each failure as an annotation: an error for
 * a MUST that does not hold and for what keeps the run from saying anything, a warning for a SHOULD, a
 * notice for what is known or mended, and at the end one of what the report is of. GitHub shows ten of each
 * kind a step, the first ones.
 *
 * @see GitHub Docs, "Workflow commands for GitHub Actions"
 */
export function githubReport(document: ReportDocument): string {
  const { title, entries, problems, baseline, uncovered, notes } = document;
  const about = [
    `${verdictOf(document)}: ${countsOf(entries) || "nothing was verified"}`,
    ...notes,
    ...aboutRows(document).map(([name, value]) => `${name}: ${value}`),
    ...(uncovered.length === 0 ? [] : [`not covered: ${uncovered.map(({ id }) => id).join(" ")}`]),
  ];
  return [
    ...problems.map((problem) => command("error", "countersign", problem)),
    ...gravestFirst(entries).flatMap(annotation),
    ...(baseline?.mended ?? []).map((id) =>
      command("notice", "mended", `remove it from the baseline: ${id}`),
    ),
    command("notice", title, about.join("\n")),
  ].join("");
}

function annotation(entry: ReportEntry): readonly string[] {
  const { status, isKnown, requirement, name, message, group, fix, replay } = entry;
  const title = requirement ?? group;
  const text = [
    name,
    message,
    ...(fix === undefined ? [] : [`Fix: ${fix}`]),
    ...(replay === undefined ? [] : [`Again: ${replay}`]),
  ].join("\n");
  if (isKnown) return [command("notice", `known: ${title}`, text)];
  switch (status) {
    case "fail":
    case "error":
      return [command("error", title, text)];
    case "warn":
      return [command("warning", title, text)];
    case "pass":
    case "skipped":
    case "not_applicable":
      return [];
    default:
      return status satisfies never;
  }
}

function command(kind: "error" | "warning" | "notice", title: string, text: string): string {
  return `::${kind} title=${workflowProperty(title)}::${workflowData(text)}\n`;
}
