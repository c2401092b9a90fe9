import type { ReportDocument, ReportEntry } from "./document.ts";
import { markdown, markdownBlock, markdownCode, workflowData, workflowProperty } from "./escape.ts";
import {
  aboutRows,
  countsOf,
  gravestFirst,
  isWrong,
  levelOf,
  newsOf,
  partsOf,
  verdictOf,
  wordOf,
  type Part,
} from "./summary.ts";

/**
 * The report as workflow commands of GitHub Actions, which become annotations: an error for each failure and
 * each reason why the run is not conclusive, a warning for each warning, a notice for each known or fixed
 * failure, and a last one for the report's subject. GitHub shows the first ten of each kind per step.
 *
 * @see GitHub Docs, "Workflow commands for GitHub Actions"
 */
export function githubAnnotations(document: ReportDocument): string {
  const { title, entries, problems, baseline, uncovered, notes } = document;
  const about = [
    `${verdictOf(document)}: ${countsOf(entries)}`,
    ...notes,
    ...aboutRows(document).map(([name, value]) => `${name}: ${value}`),
    ...(uncovered.length === 0 ? [] : [`not covered: ${uncovered.map(({ id }) => id).join(" ")}`]),
  ];
  return [
    ...problems.map((problem) => command("error", "countersign", problem)),
    ...gravestFirst(entries).map(annotation),
    ...(baseline?.mended ?? []).map((id) =>
      command("notice", "fixed", `remove it from the baseline: ${id}`),
    ),
    command("notice", title, about.join("\n")),
  ].join("");
}

function annotation(entry: ReportEntry): string {
  const { status, isKnown, requirement, name, message, group, fix, page, replay } = entry;
  const title = `${requirement ?? group} (${levelOf(entry)})`;
  const text = [
    name,
    message,
    ...(fix === undefined ? [] : [`Fix: ${fix}`]),
    ...(page === undefined ? [] : [`Read: ${page}`]),
    ...(replay === undefined ? [] : [`Again: ${replay}`]),
  ].join("\n");
  if (isKnown) return command("notice", `known: ${title}`, text);
  return command(status === "warn" ? "warning" : "error", title, text);
}

function command(kind: "error" | "warning" | "notice", title: string, text: string): string {
  return `::${kind} title=${workflowProperty(title)}::${workflowData(text)}\n`;
}

/** Characters of details, so that a job's summary, 1 MiB at most, is never refused for them. */
const DETAILS = 400_000;

/** The report as Markdown, for a job's summary or a pull request: verdict, what is wrong, then everything. */
export function githubSummary(document: ReportDocument): string {
  const { title, entries, uncovered } = document;
  const details = detailsWithin(gravestFirst(entries));
  return [
    `# ${verdictOf(document)}: ${markdown(title)}`,
    "",
    `${countsOf(entries)}.`,
    "",
    ...newsOf(document).map(({ label, text }) => `- ${label}: ${markdown(text)}`),
    "",
    ...details,
    "## All",
    "",
    "<details>",
    `<summary>${entries.length} findings</summary>`,
    "",
    "| requirement | level | | what | ms |",
    "| --- | --- | --- | --- | --- |",
    ...entries.map(rowOf),
    "",
    "</details>",
    "",
    ...(uncovered.length === 0
      ? []
      : [
          "<details>",
          `<summary>Not covered: ${uncovered.length} requirements</summary>`,
          "",
          ...uncovered.map(
            ({ id, level, sentence }) => `- ${markdownCode(id)} ${level}: ${markdown(sentence)}`,
          ),
          "",
          "</details>",
          "",
        ]),
    "## What this is of",
    "",
    "| | |",
    "| --- | --- |",
    ...aboutRows(document).map(([name, value]) => `| ${name} | ${markdownCode(value)} |`),
    "",
  ].join("\n");
}

function rowOf(entry: ReportEntry): string {
  const { requirement, level = "", name, ms, message } = entry;
  const id = requirement === undefined ? "" : markdownCode(requirement);
  const reason = isWrong(entry) || message === "" ? "" : `: ${markdown(message)}`;
  return `| ${id} | ${level} | ${wordOf(entry)}${reason} | ${markdown(name)} | ${Math.round(ms)} |`;
}

function detailsWithin(entries: readonly ReportEntry[]): readonly string[] {
  const lines: string[] = [];
  let size = 0;
  for (const [index, entry] of entries.entries()) {
    const details = detailsOf(entry);
    size += details.join("\n").length;
    if (size > DETAILS)
      return [...lines, `${entries.length - index} more are only in the other reports.`, ""];
    lines.push(...details);
  }
  return lines;
}

function detailsOf(entry: ReportEntry): readonly string[] {
  const { name, requirement, message } = entry;
  const id = requirement === undefined ? "" : `${markdownCode(requirement)} `;
  const parts = partsOf(entry);
  return [
    `## ${wordOf(entry)} ${id}${markdown(name)}`,
    "",
    ...markdownBlock(message),
    "",
    ...parts
      .filter(({ form }) => form !== "block")
      .map((part) => `- ${part.label}: ${inline(part)}`),
    "",
    ...parts
      .filter(({ form }) => form === "block")
      .flatMap(({ label, text }) => [`${label}:`, "", ...markdownBlock(text), ""]),
  ];
}

function inline({ text, form }: Part): string {
  if (form === "text") return markdown(text);
  // A path of the repository is not a link from elsewhere.
  return form === "page" && URL.canParse(text) ? `<${text}>` : markdownCode(text);
}
