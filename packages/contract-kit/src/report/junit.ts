import { xml } from "./escape.ts";
import type { ReportDocument, ReportEntry } from "./report-document.ts";

/**
 * The report as JUnit's XML, which build servers read: a suite for each group, a case for each entry, and
 * a suite of its own for what keeps the run from saying anything. Warnings are output, not failures.
 */
export function junitReport({ title, entries, problems }: ReportDocument): string {
  const groups = Map.groupBy(entries, ({ group }) => group);
  const suites = [...groups].map(([group, those]) => suiteOf(group, those));
  const run = problems.map(
    (problem) =>
      `    <testcase classname="run" name="says something"><error message="${xml(problem)}"/></testcase>`,
  );
  const errors =
    run.length === 0
      ? []
      : [
          `  <testsuite name="run" tests="${run.length}" failures="0" errors="${run.length}" skipped="0" time="0">`,
          ...run,
          "  </testsuite>",
        ];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${xml(title)}">`,
    ...suites.flat(),
    ...errors,
    "</testsuites>",
    "",
  ].join("\n");
}

function suiteOf(group: string, entries: readonly ReportEntry[]): readonly string[] {
  const count = (...of: readonly ReportEntry["status"][]): number =>
    entries.filter(({ status }) => of.includes(status)).length;
  const ms = entries.reduce((sum, one) => sum + one.ms, 0);
  const counts = [
    `tests="${entries.length}"`,
    `failures="${count("fail")}"`,
    `errors="${count("error")}"`,
    `skipped="${count("skipped", "not_applicable")}"`,
    `time="${seconds(ms)}"`,
  ].join(" ");
  return [
    `  <testsuite name="${xml(group)}" ${counts}>`,
    ...entries.map((entry) => caseOf(entry)),
    "  </testsuite>",
  ];
}

function caseOf({ group, name, requirement, status, message, evidence, ms }: ReportEntry): string {
  const title = requirement === undefined ? name : `[${requirement}] ${name}`;
  const text = [message, ...(evidence?.curl ?? [])].join("\n");
  const head = `    <testcase classname="${xml(group)}" name="${xml(title)}" time="${seconds(ms)}"`;
  const inside = insideOf(status, { message, text });
  return inside === undefined ? `${head}/>` : `${head}>${inside}</testcase>`;
}

function insideOf(
  status: ReportEntry["status"],
  { message, text }: { readonly message: string; readonly text: string },
): string | undefined {
  const [line = ""] = message.split("\n");
  switch (status) {
    case "pass":
      return undefined;
    case "fail":
      return `<failure message="${xml(line)}">${xml(text)}</failure>`;
    case "error":
      return `<error message="${xml(line)}">${xml(text)}</error>`;
    case "warn":
      return `<system-out>${xml(`warning: ${text}`)}</system-out>`;
    case "skipped":
    case "not_applicable":
      return `<skipped message="${xml(line)}"/>`;
    default:
      return status satisfies never;
  }
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
