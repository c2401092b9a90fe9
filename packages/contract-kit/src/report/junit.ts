import type { ReportDocument, ReportEntry } from "./document.ts";
import { terminalLines, xml } from "./escape.ts";
import { aboutRows, countsOf, isNotJudged, isWrong, levelOf, verdictOf } from "./summary.ts";
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
  const { about, entries, problems, uncovered, notes } = document;
  const head = '    <testcase classname="run" name="says something of the target" time="0.000"';
  const cases = problems.map((one) => `${head}><error message="${xml(one)}"/></testcase>`);
  const output = [
    `${verdictOf(document)} (${countsOf(entries)})`,
    ...notes,
    ...uncovered.map(({ id, unchecked = "" }) => {
      return `not covered: ${id}${unchecked && ` (${unchecked})`}`;
    }),
  ].flatMap(terminalLines);
  const counts = `tests="${Math.max(1, cases.length)}" failures="0" errors="${cases.length}" skipped="0" time="0.000"`;
  return [
    `  <testsuite name="run" ${counts} timestamp="${about.startedAt.slice(0, 19)}">`,
    "    <properties>",
    ...aboutRows(document).map(
      ([name, value]) => `      <property name="${xml(name)}" value="${xml(value)}"/>`,
    ),
    "    </properties>",
    ...(cases.length > 0 ? cases : [`${head}/>`]),
    `    <system-out>${xml(output.join("\n"))}</system-out>`,
    "  </testsuite>",
  ];
}

function suiteOf(group: string, entries: readonly ReportEntry[]): readonly string[] {
  const count = (has: (entry: ReportEntry) => boolean): number => entries.filter(has).length;
  const ms = entries.reduce((sum, one) => sum + one.ms, 0);
  const failures = count(({ status, isKnown }) => status === "fail" && !isKnown);
  const errors = count(({ status }) => status === "error");
  const skipped = count((one) => one.isKnown || isNotJudged(one));
  const counts = `tests="${entries.length}" failures="${failures}" errors="${errors}" skipped="${skipped}"`;
  return [
    `  <testsuite name="${xml(group)}" ${counts} time="${seconds(ms)}">`,
    ...entries.map((entry) => caseOf(entry)),
    "  </testsuite>",
  ];
}

function caseOf(entry: ReportEntry): string {
  const { group, name, requirement, ms } = entry;
  const title = requirement === undefined ? name : `[${requirement}] ${name}`;
  const head = `    <testcase classname="${xml(group)}" name="${xml(title)}" time="${seconds(ms)}"`;
  return entry.status === "pass" ? `${head}/>` : `${head}>${resultOf(entry)}</testcase>`;
}

/** Prints the element of an entry that does not pass. */
function resultOf(entry: ReportEntry): string {
  const { status, message, isKnown } = entry;
  const [line = ""] = (isKnown ? `known failure: ${message}` : message).split("\n");
  if (isKnown || !isWrong(entry)) return `<skipped message="${xml(line)}"/>`;
  const text = xml(terminalDetails(entry).join("\n"));
  if (status === "error") return `<error message="${xml(line)}">${text}</error>`;
  const level = xml(levelOf(entry));
  return status === "warn"
    ? `<system-out>warning (${level}): ${text}</system-out>`
    : `<failure type="${level}" message="${xml(line)}">${text}</failure>`;
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);
