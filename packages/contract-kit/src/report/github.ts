import type { ReportDocument, ReportEntry } from "./document.ts";
import { markdown, markdownBlock, markdownCode, workflowData, workflowProperty } from "./escape.ts";
import {
  aboutRows,
  countsOf,
  gravestFirst,
  levelOf,
  owedOf,
  verdictOf,
  wordOf,
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
    ...gravestFirst(entries).flatMap(annotation),
    ...(baseline?.mended ?? []).map((id) =>
      command("notice", "fixed", `remove it from the baseline: ${id}`),
    ),
    command("notice", title, about.join("\n")),
  ].join("");
}

function annotation(entry: ReportEntry): readonly string[] {
  const { status, isKnown, requirement, name, message, group, fix, page, replay } = entry;
  const title = `${requirement ?? group} (${levelOf(entry)})`;
  const text = [
    name,
    message,
    ...(fix === undefined ? [] : [`Fix: ${fix}`]),
    ...(page === undefined ? [] : [`Read: ${page}`]),
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

/** Characters of details, so that a job's summary, 1 MiB at most, is never refused for them. */
const DETAILS = 400_000;

/** The report as Markdown, for a job's summary or a pull request: verdict, what is wrong, then everything. */
export function githubSummary(document: ReportDocument): string {
  const { title, entries, problems, uncovered, notes, baseline } = document;
  const details = detailsWithin(gravestFirst(entries));
  return [
    `# ${verdictOf(document)}: ${markdown(title)}`,
    "",
    `${countsOf(entries)}.`,
    "",
    ...problems.map((problem) => `- **Problem:** ${markdown(problem)}`),
    ...notes.map((note) => `- Note: ${markdown(note)}`),
    ...(baseline?.mended ?? []).map(
      (id) => `- Fixed; remove it from the baseline: ${markdownCode(id)}`,
    ),
    ...(problems.length + notes.length + (baseline?.mended.length ?? 0) > 0 ? [""] : []),
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
  const { requirement, level = "", status, name, ms, message } = entry;
  const id = requirement === undefined ? "" : markdownCode(requirement);
  const reason =
    status === "not_applicable" || status === "skipped" ? `: ${markdown(message)}` : "";
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
  const { group, name, requirement, message, evidence, why, fix, page, replay } = entry;
  const id = requirement === undefined ? "" : `${markdownCode(requirement)} `;
  const told = (label: string, text: string | undefined): readonly string[] =>
    text === undefined ? [] : [`- ${label}: ${markdown(text)}`];
  return [
    `## ${wordOf(entry)} ${id}${markdown(name)}`,
    "",
    ...markdownBlock(message),
    "",
    ...told("Level", owedOf(entry)),
    ...told("Why", why),
    ...told("Fix", fix),
    `- Check: ${markdownCode(group)}`,
    ...(page === undefined ? [] : [`- Read: ${linked(page)}`]),
    ...(replay === undefined ? [] : [`- Again: ${markdownCode(replay)}`]),
    "",
    ...(evidence?.exchanges ?? []).flatMap(({ sent, received }) => [
      "Sent:",
      "",
      ...markdownBlock(sent.trimEnd()),
      "",
      "Received:",
      "",
      ...markdownBlock(received.trimEnd() || "(nothing)"),
      "",
    ]),
    ...((evidence?.curl ?? []).length === 0
      ? []
      : ["Lines for a shell, with the access token in `TOKEN`:", ""]),
    ...((evidence?.curl ?? []).length === 0
      ? []
      : [...markdownBlock(evidence?.curl.join("\n") ?? ""), ""]),
  ];
}

/** A page by its address; a path of the repository is not a link from elsewhere. */
function linked(page: string): string {
  return URL.canParse(page) ? `<${page}>` : markdownCode(page);
}
