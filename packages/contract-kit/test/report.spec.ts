import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import type { PactResult, PactRow } from "../src/pact/verify-pacts.ts";
import { jsonReport } from "../src/report/json.ts";
import { junitReport } from "../src/report/junit.ts";
import { markdownReport } from "../src/report/markdown.ts";
import { reportOfPacts, type PactReportOptions } from "../src/report/report-document.ts";

const row: PactRow = {
  consumer: "shop",
  provider: "bank",
  description: "a refund",
  states: [],
  requirement: "P-REFUND-SUM",
  level: "MUST",
  isOk: true,
  ms: 12,
  problems: [],
};
const failed: PactRow = { ...row, description: "another", isOk: false, problems: ["409 & <gone>"] };
const resultOf = (rows: readonly PactRow[], problems: readonly string[] = []): PactResult => ({
  provider: "bank",
  rows,
  problems,
  isOk: false,
  log: "",
});

const about = {
  role: "provider",
  url: "http://user:word@127.0.0.1:4010/base?key=word#word",
  profile: profiles.standard,
  seed: 1,
  isStrict: false,
  startedAt: Date.UTC(2026, 0, 2, 3, 4, 5),
} as const;
const reported = (result: PactResult, options: Partial<PactReportOptions> = {}) =>
  reportOfPacts(result, { about, ...options });

describe("a report of pacts", () => {
  it.each([
    ["all hold", [row], [], false, 0],
    ["a MUST does not hold", [row, failed], [], false, 1],
    ["a SHOULD does not hold", [{ ...failed, level: "SHOULD" }], [], false, 0],
    ["a SHOULD does not hold and it is strict", [{ ...failed, level: "SHOULD" }], [], true, 1],
    ["the run says nothing", [row], ["no end"], false, 2],
  ] as const)("ends, where %s, as a command does", (_what, rows, problems, strict, exitCode) => {
    expect(
      reported(resultOf(rows, problems), { about: { ...about, isStrict: strict } }),
    ).toMatchObject({ exitCode });
  });

  it("names what was left out, with the reason", () => {
    const report = reported(resultOf([row]), {
      skipped: [{ row: failed, reason: "not yet" }],
    });
    expect(report.entries.at(-1)).toMatchObject({ status: "skipped", message: "not yet" });
  });
});

describe("a report as JUnit", () => {
  it("has a case for each interaction, with its requirement", () => {
    const lines = junitReport(reported(resultOf([row, failed]))).split("\n");
    expect(lines.slice(0, 4)).toEqual([
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites name="pacts of bank at http://127.0.0.1:4010/base?…">',
      '  <testsuite name="shop → bank" tests="2" failures="1" errors="0" skipped="0" time="0.024">',
      '    <testcase classname="shop → bank" name="[P-REFUND-SUM] a refund" time="0.012"/>',
    ]);
    expect(lines[4]).toContain('<failure message="409 &amp; &lt;gone&gt;">409 &amp; &lt;gone&gt;');
  });

  it("tells in a suite of its own what it is of, and what nothing tests", () => {
    const xml = junitReport(reported(resultOf([row])));
    expect(xml).toContain('<property name="seed" value="1"/>');
    expect(xml).toContain('<property name="target" value="http://127.0.0.1:4010/base?…"/>');
    expect(xml).toContain("not covered: P-AUTH-BEARER");
    expect(xml).not.toContain("not covered: P-REFUND-SUM");
  });

  it("has an error for a run that says nothing", () => {
    expect(junitReport(reported(resultOf([], ["no end"])))).toContain('<error message="no end"/>');
  });
});

describe("a report as Markdown", () => {
  it("shows what is wrong before the table", () => {
    const text = markdownReport(reported(resultOf([row, failed])));
    expect(text).toContain("1 pass, 1 fail.");
    expect(text).toContain("## **FAIL** `P-REFUND-SUM` another");
    expect(text).toContain("```text\n409 & <gone>\n```");
    expect(text.indexOf("## ")).toBeLessThan(text.indexOf("| requirement"));
  });

  it("renders nothing that a target says", () => {
    const said = { ...failed, description: "x | <img src=1> `a`\n# title" };
    const text = markdownReport(reported(resultOf([said])));
    expect(text).not.toMatch(/^# title/m);
    expect(text).not.toMatch(/(?<!\\)<img/);
  });
});

describe("a report as JSON", () => {
  it("is the report itself", () => {
    const report = reported(resultOf([row, failed]));
    expect(JSON.parse(jsonReport(report))).toEqual(report);
  });
});
