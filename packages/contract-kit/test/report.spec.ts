import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { profiles } from "@countersign/schemas/profiles";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { type Verdict, type Level, levels, requirements, roles } from "../src/check.ts";
import type { PactRow } from "../src/pact/verify-pacts.ts";
import {
  againstBaseline,
  failuresIn,
  githubSummary,
  htmlReport,
  jsonReport,
  junitReport,
  type PactReportOptions,
  type ReportDocument,
  type ReportEntry,
  reportOfPacts,
  reportOfRun,
  terminalEntry,
  terminalSummary,
} from "../src/report/index.ts";
import { run } from "../src/run.ts";
import { checkOf, unreachable } from "./fake-provider.ts";

const validatorOf = (name: string) => {
  const file = fileURLToPath(new URL(`../schemas/${name}.schema.json`, import.meta.url));
  return new Ajv2020({ allErrors: true }).compile(JSON.parse(readFileSync(file, "utf8")) as object);
};
const isReport = validatorOf("report");

const exchanges = [{ sent: "GET / HTTP/1.1\n\n", received: "" }];
const verdicts: readonly Verdict[] = [
  { requirement: "P-AUTH-BEARER", status: "pass" },
  { requirement: "P-REFUND-KEY", status: "fail", message: "two refunds", exchanges },
  { requirement: "P-EVENT-RETRY-AFTER", status: "fail", message: "too early" },
  { requirement: "P-REFUND-SUM", status: "not_applicable", message: "no control" },
  { requirement: "P-REFUND-FINAL", status: "skipped", message: "ended before" },
];
/** A run with a finding of each status, whose clocks are arguments. */
async function reported(): Promise<ReportDocument> {
  let ms = 0;
  const broken = checkOf("provider/b", { requirement: "P-INPUT-SIZE", status: "pass" });
  const report = await run({
    target: unreachable,
    checks: [
      checkOf("provider/a", ...verdicts),
      { ...broken, run: () => Promise.reject(new Error("no answer")) },
    ],
    requirements: requirements(),
    now: () => (ms += 7),
    clock: () => Date.UTC(2026, 0, 2),
  });
  return reportOfRun(report, {
    replay: (id) => `again ${id} 1`,
    notes: ["the clock differs"],
  });
}

it("the report's schema accepts a report with a finding of each status, also against a baseline", async () => {
  const report = await reported();
  expect(new Set(report.entries.map(({ status }) => status)).size).toBe(6);
  isReport(JSON.parse(jsonReport(report)));
  expect(isReport.errors ?? []).toEqual([]);
  isReport(JSON.parse(jsonReport(againstBaseline(report, failuresIn(report)))));
  expect(isReport.errors ?? []).toEqual([]);
  for (const role of roles)
    expect([role, isReport({ ...report, about: { ...report.about, role } })]).toEqual([role, true]);
  expect(isReport({ ...report, more: 1 })).toBe(false);
  const [entry] = report.entries;
  expect(isReport({ ...report, entries: [{ ...entry, status: "maybe" }] })).toBe(false);
});

it("a finding at a terminal is wrapped at spaces but for URLs, code, bytes and commands, and shows two exchanges at most", () => {
  const url = `http://127.0.0.1:4010/${"long/".repeat(20)}`;
  const code = `\`PUT {"failNext": 1, "reason": "a handler that fails for ever"}\``;
  const message = `expected one effect of payment.succeeded at ${url} within 2000 ms after ${code}, got none at all`;
  const replay =
    "countersign verify receiver --url http://127.0.0.1:3000/webhooks --seed 1 --path 0";
  const entry: ReportEntry = {
    id: "receiver/once#R-ONCE-AFTER",
    group: "receiver/once",
    name: "a sentence",
    requirement: "R-ONCE-AFTER",
    status: "fail",
    isKnown: false,
    message,
    why: "Without it a customer pays twice for what was ordered and paid once.",
    exchanges,
    replay,
    ms: 1,
  };
  const lines = terminalEntry(entry, 60).map((line) => line.trim());
  const long = lines.slice(1).filter((line) => line.length > 53);
  expect(long).toEqual([url, `${code},`, `again  ${replay}`]);
  expect(lines.join(" ")).toContain(message);
  expect(terminalEntry(entry).map((line) => line.trim())).toContain(message);
  const all = ["one", "two", "three", "four"].map((sent) => ({ sent, received: "" }));
  const many = terminalEntry({ ...entry, exchanges: all });
  const sent = many.map((line) => line.trim()).filter((line) => /^sent|^one|^t|^four/.test(line));
  expect(sent).toEqual(["sent:", "one", "sent, after 2 more:", "four"]);
});

it("the summary counts a requirement that two checks test once, as the gravest, and lists it as n/a only if neither judged it", async () => {
  const report = await reported();
  const [one] = report.entries;
  if (one === undefined) throw new Error("the report has no entry");
  const entryOf = (group: string, requirement: string, status: ReportEntry["status"]) => ({
    ...one,
    id: `${group}#${requirement}`,
    group,
    requirement,
    status,
    message: "seen",
  });
  const entries = [
    entryOf("a", "R-ALIVE", "pass"),
    entryOf("b", "R-ALIVE", "not_applicable"),
    entryOf("a", "R-METHOD", "fail"),
    entryOf("b", "R-METHOD", "fail"),
    entryOf("a", "R-BODY-SLOW", "not_applicable"),
  ];
  const lines = terminalSummary({ ...report, entries, exitCode: 1 });
  expect(lines[1]).toContain(
    "FAIL: 1 requirement does not hold (1 pass, 1 fail, 1 not applicable)",
  );
  expect(lines[lines.indexOf("n/a: seen") + 1]).toBe("  R-BODY-SLOW");
});

describe.each(Object.entries({ jsonReport, junitReport, htmlReport, githubSummary }))(
  "%s",
  (_name, write) => {
    it("prints the same bytes for the same seed and clocks, with everything that the run knows", async () => {
      const report = await reported();
      const text = write(report);
      expect(write(await reported())).toBe(text);
      const { kit, profile, startedAt, target: url } = report.about;
      expect(kit).toMatch(/^\d+\.\d+\.\d+/);
      const tested = report.entries.map(({ requirement }) => requirement);
      const untested = requirements("provider").filter(({ id }) => !tested.includes(id));
      expect(report.uncovered.map(({ id }) => id)).toEqual(untested.map(({ id }) => id));
      const about = [kit, profile, url, "seed", startedAt.slice(0, 19)];
      const failure = ["P-REFUND-KEY", "two refunds", "again provider/a 1", "the clock differs"];
      const shown = [
        "GET / HTTP/1.1",
        "would pay twice",
        "/docs/reference/requirements.md#p-refund-key",
      ];
      const uncovered = report.uncovered.map(({ id }) => id);
      for (const one of [...about, ...failure, ...shown, ...uncovered]) expect(text).toContain(one);
    });
  },
);

const row: PactRow = {
  consumer: "shop",
  provider: "bank",
  description: "a refund",
  requirement: "P-REFUND-SUM",
  isOk: true,
  ms: 12,
  problems: [],
};
const failed: PactRow = { ...row, description: "another", isOk: false, problems: ["409 & <gone>"] };
const about = {
  role: "provider",
  url: "http://user:word@127.0.0.1:4010/base?key=word#word",
  profile: profiles.standard,
  seed: 1,
  failOn: ["exploitable", "loses-or-repeats-events"],
  startedAt: Date.UTC(2026, 0, 2, 3, 4, 5),
} as const;
const ofPacts = (
  rows: readonly PactRow[],
  problems: readonly string[] = [],
  options: Partial<PactReportOptions> = {},
): ReportDocument =>
  reportOfPacts({ provider: "bank", rows, problems, isOk: false }, { about, ...options });

describe("a report of pacts", () => {
  const mild = { ...failed, requirement: "P-LIMIT-RATE" };
  it.each([
    ["all pass", [row], [], ["exploitable"], 0],
    ["one fails at a level that decides", [row, failed], [], ["loses-or-repeats-events"], 1],
    ["one fails at another level", [mild], [], ["exploitable"], 0],
    ["one fails and all levels decide", [mild], [], levels, 1],
    ["one fails that names no requirement", [{ ...mild, requirement: undefined }], [], [], 1],
    ["the run has a problem", [row], ["no end"], levels, 2],
  ] as readonly [string, PactRow[], string[], readonly Level[], number][])(
    "has the right exit code if %s",
    (_what, rows, problems, failOn, exitCode) => {
      const skipped = [{ row: failed, reason: "not yet" }];
      const report = ofPacts(rows, problems, { about: { ...about, failOn }, skipped });
      expect(report).toMatchObject({ exitCode });
      expect(report.entries.at(-1)).toMatchObject({ status: "skipped", message: "not yet" });
    },
  );

  it("is a JUnit suite with a case for each interaction, without the URL's secrets", () => {
    const xml = junitReport(ofPacts([row, failed], ["no end"]));
    const lines = xml.split("\n");
    expect(lines.slice(0, 4)).toEqual([
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites name="pacts of bank at http://127.0.0.1:4010/base?…">',
      '  <testsuite name="shop → bank" tests="2" failures="1" errors="0" skipped="0" time="0.024">',
      '    <testcase classname="shop → bank" name="[P-REFUND-SUM] a refund" time="0.012"/>',
    ]);
    expect(lines[4]).toContain(
      '<failure type="loses-or-repeats-events" message="409 &amp; &lt;gone&gt;">409 &amp; &lt;gone&gt;',
    );
    expect(xml).toContain('<error message="no end"/>');
    expect(xml).toContain('<property name="seed" value="1"/>');
    expect(xml).toContain('<property name="target" value="http://127.0.0.1:4010/base?…"/>');
    expect(xml).toContain("not covered: P-AUTH-BEARER");
    expect(xml).not.toContain("not covered: P-REFUND-SUM");
  });

  it("shows failures before the table in the job summary", () => {
    const text = githubSummary(ofPacts([row, failed]));
    expect(text).toMatch(/^# FAIL: 1 requirement does not hold: pacts of bank/);
    expect(text).toContain("\n1 fail.\n");
    expect(text).toContain("## FAIL `P-REFUND-SUM` another");
    expect(text).toContain("```text\n409 & <gone>\n```");
    expect(text.indexOf("## ")).toBeLessThan(text.indexOf("| requirement"));
  });
});
