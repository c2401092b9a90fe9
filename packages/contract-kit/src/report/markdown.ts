import { markdown } from "./escape.ts";
import type { ReportDocument, ReportEntry } from "./report-document.ts";

const marks: Readonly<Record<ReportEntry["status"], string>> = {
  pass: "pass",
  fail: "**FAIL**",
  warn: "warn",
  error: "**ERROR**",
  skipped: "skipped",
  not_applicable: "not applicable",
};

/** The report as Markdown, for a pull request: counts, what is wrong, then everything as a table. */
export function markdownReport({ title, entries, problems }: ReportDocument): string {
  const counts = (Object.keys(marks) as ReportEntry["status"][])
    .map((status) => [status, entries.filter((one) => one.status === status).length] as const)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${status.replace("_", " ")}`);
  const wrong = entries.filter(({ status }) => ["fail", "error", "warn"].includes(status));
  return [
    `# ${markdown(title)}`,
    "",
    counts.length === 0 ? "Nothing was verified." : `${counts.join(", ")}.`,
    "",
    ...problems.map((problem) => `- **${markdown(problem)}**`),
    ...(problems.length > 0 ? [""] : []),
    ...wrong.flatMap(detailsOf),
    "| requirement | level | | what | ms |",
    "| --- | --- | --- | --- | --- |",
    ...entries.map(
      ({ requirement = "", level, status, name, ms }) =>
        `| ${markdown(requirement)} | ${level} | ${marks[status]} | ${markdown(name)} | ${Math.round(ms)} |`,
    ),
    "",
  ].join("\n");
}

function detailsOf({
  group,
  name,
  requirement,
  status,
  message,
  evidence,
}: ReportEntry): readonly string[] {
  const id = requirement === undefined ? "" : `${requirement} `;
  const text = [...message.split("\n"), ...(evidence?.curl ?? [])];
  return [
    `## ${marks[status]} ${markdown(id + name)}`,
    "",
    markdown(group),
    "",
    ...text.map((one) => `    ${one.replaceAll(/[\r\n]/g, " ")}`),
    "",
  ];
}
