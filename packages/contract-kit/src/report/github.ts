import { workflowData, workflowProperty } from "./escape.ts";
import { gravestFirst } from "./gravest-first.ts";
import type { ReportDocument, ReportEntry } from "./report-document.ts";

/**
 * The report as workflow commands of GitHub Actions, which show each failure as an annotation: an error for
 * a MUST that does not hold and for what keeps the run from saying anything, a warning for a SHOULD, a
 * notice for what is known or mended. GitHub shows ten of each kind a step, the first ones.
 *
 * @see GitHub Docs, "Workflow commands for GitHub Actions"
 */
export function githubReport({ entries, problems, baseline }: ReportDocument): string {
  return [
    ...problems.map((problem) => command("error", "countersign", problem)),
    ...gravestFirst(entries).flatMap(annotation),
    ...(baseline?.mended ?? []).map((id) =>
      command("notice", "mended", `remove it from the baseline: ${id}`),
    ),
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
