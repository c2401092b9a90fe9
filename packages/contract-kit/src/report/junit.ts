import type { ReportDocument, ReportEntry } from "./document.ts";
import { terminalLines, xml } from "./escape.ts";
import { aboutRows, countsOf, isWrong, levelOf, verdictOf } from "./summary.ts";
import { terminalDetails } from "./terminal.ts";

/**
 * The report as JUnit's XML, which build servers read: a suite for each group, a case for each entry, and a
 * suite for the run itself with its subject and the reasons why it is not conclusive. Warnings are output,
 * not failures; known failures are skipped.
 */
export function junitReport(document: ReportDocument): string {
  const groups = Map.groupBy(document.entries, ({ group }) => group);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${xml(document.title)}">`,
    ...[...groups].flatMap(([group, those]) => suiteOf(group, those)),
    ...runSuite(document),
    "</testsuites>",
    "",
  ].join("\n");
}

function runSuite(document: ReportDocument): readonly string[] {
  const { problems, uncovered, notes } = document;
  const cases = problems.map(
    (problem) =>
      `    <testcase classname="run" name="says something of the target" time="0.000"><error message="${xml(problem)}"/></testcase>`,
  );
  const output = [
    `${verdictOf(document)} (${countsOf(document.entries)})`,
    ...notes,
    ...uncovered.map(
      ({ id, unchecked }) => `not covered: ${id}${unchecked ? ` (${unchecked})` : ""}`,
    ),
  ].flatMap(terminalLines);
  return [
    `  <testsuite name="run" tests="${Math.max(1, cases.length)}" failures="0" errors="${cases.length}" skipped="0" time="0.000" timestamp="${document.about.startedAt.slice(0, 19)}">`,
    "    <properties>",
    ...aboutRows(document).map(
      ([name, value]) => `      <property name="${xml(name)}" value="${xml(value)}"/>`,
    ),
    "    </properties>",
    ...(cases.length > 0
      ? cases
      : ['    <testcase classname="run" name="says something of the target" time="0.000"/>']),
    `    <system-out>${xml(output.join("\n"))}</system-out>`,
    "  </testsuite>",
  ];
}

function suiteOf(group: string, entries: readonly ReportEntry[]): readonly string[] {
  const count = (has: (entry: ReportEntry) => boolean): number => entries.filter(has).length;
  const ms = entries.reduce((sum, one) => sum + one.ms, 0);
  const counts = [
    `tests="${entries.length}"`,
    `failures="${count(({ status, isKnown }) => status === "fail" && !isKnown)}"`,
    `errors="${count(({ status }) => status === "error")}"`,
    `skipped="${count(({ status, isKnown }) => isKnown || status === "skipped" || status === "not_applicable")}"`,
    `time="${seconds(ms)}"`,
  ].join(" ");
  return [
    `  <testsuite name="${xml(group)}" ${counts}>`,
    ...entries.map((entry) => caseOf(entry)),
    "  </testsuite>",
  ];
}

function caseOf(entry: ReportEntry): string {
  const { group, name, requirement, ms } = entry;
  const title = requirement === undefined ? name : `[${requirement}] ${name}`;
  const head = `    <testcase classname="${xml(group)}" name="${xml(title)}" time="${seconds(ms)}"`;
  const inside = insideOf(entry);
  return inside === undefined ? `${head}/>` : `${head}>${inside}</testcase>`;
}

function insideOf(entry: ReportEntry): string | undefined {
  const { status, message, isKnown } = entry;
  const [line = ""] = (isKnown ? `known failure: ${message}` : message).split("\n");
  const text = (): string => xml(terminalDetails(entry).join("\n"));
  if (status === "pass") return undefined;
  if (isKnown || !isWrong(entry)) return `<skipped message="${xml(line)}"/>`;
  if (status === "error") return `<error message="${xml(line)}">${text()}</error>`;
  const level = xml(levelOf(entry));
  return status === "warn"
    ? `<system-out>warning (${level}): ${text()}</system-out>`
    : `<failure type="${level}" message="${xml(line)}">${text()}</failure>`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
