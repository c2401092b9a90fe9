import { aboutRows, verdictOf } from "./about-rows.ts";
import { markdown, markdownBlock, markdownCode } from "./escape.ts";
import { gravestFirst } from "./gravest-first.ts";
import type { ReportDocument, ReportEntry } from "./report-document.ts";
import { countsOf } from "./terminal.ts";

const marks: Readonly<Record<ReportEntry["status"], string>> = {
  pass: "pass",
  fail: "**FAIL**",
  warn: "warn",
  error: "**ERROR**",
  skipped: "skipped",
  not_applicable: "not applicable",
};

/** Characters of details, so that a job's summary, 1 MiB at most, is never refused for them. */
const DETAILS = 400_000;

/** The report as Markdown, for a job's summary or a pull request: counts, what is wrong, then everything. */
export function markdownReport(document: ReportDocument): string {
  const { title, entries, problems, uncovered, notes, baseline } = document;
  const details = detailsWithin(gravestFirst(entries));
  return [
    `# Report: ${markdown(title)}`,
    "",
    `**${verdictOf(document)}.** ${countsOf(entries) || "nothing was verified"}.`,
    "",
    ...problems.map((problem) => `- **Problem:** ${markdown(problem)}`),
    ...notes.map((note) => `- Note: ${markdown(note)}`),
    ...(baseline?.mended ?? []).map(
      (id) => `- Mended, to be removed from the baseline: ${markdownCode(id)}`,
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

function rowOf({ requirement, level, status, name, ms, isKnown, message }: ReportEntry): string {
  const id = requirement === undefined ? "" : markdownCode(requirement);
  const reason =
    status === "not_applicable" || status === "skipped" ? `: ${markdown(message)}` : "";
  const mark = isKnown ? "known" : marks[status];
  return `| ${id} | ${level} | ${mark}${reason} | ${markdown(name)} | ${Math.round(ms)} |`;
}

function detailsWithin(entries: readonly ReportEntry[]): readonly string[] {
  const lines: string[] = [];
  let size = 0;
  for (const [index, entry] of entries.entries()) {
    const details = detailsOf(entry);
    size += details.join("\n").length;
    if (size > DETAILS)
      return [...lines, `${entries.length - index} more are told by the other reports alone.`, ""];
    lines.push(...details);
  }
  return lines;
}

function detailsOf(entry: ReportEntry): readonly string[] {
  const { group, name, requirement, level, status, message, isKnown, evidence } = entry;
  const { source, why, fix, page, replay } = entry;
  const id = requirement === undefined ? "" : `${markdownCode(requirement)} `;
  const told = (label: string, text: string | undefined): readonly string[] =>
    text === undefined ? [] : [`- ${label}: ${markdown(text)}`];
  return [
    `## ${isKnown ? "known" : marks[status]} ${id}${markdown(name)}`,
    "",
    ...markdownBlock(message),
    "",
    ...told("Owed", source === undefined ? level : `${level}, ${source}`),
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

/** A page by its address; a path of the repository is no link from elsewhere. */
function linked(page: string): string {
  return URL.canParse(page) ? `<${page}>` : markdownCode(page);
}
