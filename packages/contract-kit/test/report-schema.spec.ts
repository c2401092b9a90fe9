import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { profiles } from "@countersign/schemas/profiles";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type { ProviderCheck } from "../src/check.ts";
import type { Verdict } from "../src/finding.ts";
import { againstBaseline, baselineOf } from "../src/report/baseline.ts";
import { githubReport } from "../src/report/github.ts";
import { htmlReport } from "../src/report/html.ts";
import { jsonReport } from "../src/report/json.ts";
import { junitReport } from "../src/report/junit.ts";
import { markdownReport } from "../src/report/markdown.ts";
import { readBaseline } from "../src/report/read-baseline.ts";
import { reportOfRun, type ReportDocument } from "../src/report/report-document.ts";
import { requirements } from "../src/requirements.ts";
import { run } from "../src/run.ts";
import type { ProviderTarget } from "../src/target.ts";

const schemaOf = (name: string): object =>
  JSON.parse(
    readFileSync(fileURLToPath(new URL(`../schemas/${name}.schema.json`, import.meta.url)), "utf8"),
  ) as object;
const isReport = new Ajv2020({ allErrors: true }).compile(schemaOf("report"));
const isBaseline = new Ajv2020({ allErrors: true }).compile(schemaOf("baseline"));

const target: ProviderTarget = {
  role: "provider",
  url: "http://127.0.0.1:1",
  send: () => Promise.reject(new Error("nobody is there")),
  token: () => Promise.resolve("token"),
  profile: profiles.standard,
};
const evidence = {
  curl: ["curl http://127.0.0.1:1"],
  exchanges: [{ sent: "GET / HTTP/1.1\n\n", received: "" }],
  replay: { seed: 1, path: "0:1" },
};
const verdicts: readonly Verdict[] = [
  { requirement: "P-AUTH-BEARER", status: "pass" },
  { requirement: "P-REFUND-KEY", status: "fail", message: "two refunds", evidence },
  { requirement: "P-EVENT-RETRY-AFTER", status: "fail", message: "too early" },
  { requirement: "P-REFUND-SUM", status: "not_applicable", message: "no control" },
  { requirement: "P-REFUND-FINAL", status: "skipped", message: "ended before" },
];
const check = (id: string, said: readonly Verdict[], breaks = false): ProviderCheck => ({
  id,
  title: id,
  role: "provider",
  requirements: said.map(({ requirement }) => requirement),
  run: () => (breaks ? Promise.reject(new Error("no answer")) : Promise.resolve(said)),
});

/** A run whose clocks are arguments: one of each kind of finding. */
async function reported(): Promise<ReportDocument> {
  let ms = 0;
  const report = await run({
    target,
    checks: [
      check("provider/a", verdicts),
      check("provider/b", [{ requirement: "P-INPUT-SIZE", status: "pass" }], true),
    ],
    requirements: requirements(),
    now: () => (ms += 7),
    clock: () => Date.UTC(2026, 0, 2),
  });
  return reportOfRun(report, {
    replay: (id, { seed, path = "" }) => `again ${id} ${seed} ${path}`,
    notes: ["the clock differs"],
  });
}

describe("the report's own schema", () => {
  it("takes a report with a finding of each kind, and one against a baseline", async () => {
    const report = await reported();
    expect(new Set(report.entries.map(({ status }) => status)).size).toBe(6);
    isReport(JSON.parse(jsonReport(report)));
    expect(isReport.errors ?? []).toEqual([]);
    isReport(JSON.parse(jsonReport(againstBaseline(report, baselineOf(report)))));
    expect(isReport.errors ?? []).toEqual([]);
  });

  it("refuses a report with another member or another status", async () => {
    const report = await reported();
    expect(isReport({ ...report, more: 1 })).toBe(false);
    const [entry] = report.entries;
    expect(isReport({ ...report, entries: [{ ...entry, status: "maybe" }] })).toBe(false);
  });

  it("takes the baseline that a run leaves", async () => {
    const left = baselineOf(await reported());
    expect(left.known).toEqual([{ id: "provider/a#P-REFUND-KEY" }]);
    expect(isBaseline(left)).toBe(true);
    expect(readBaseline(left)).toEqual({ ok: true, baseline: left });
  });

  it.each([
    [{ known: [] }, true],
    [{ known: [{ id: "a", reason: "b" }], $schema: "c" }, true],
    [{ known: [{ id: "" }] }, false],
    [{ known: [{ reason: "b" }] }, false],
    [{ known: [{ id: "a", reason: 1 }] }, false],
    [{ known: [{ id: "a", more: 1 }] }, false],
    [{ known: [], more: 1 }, false],
    [{ known: {} }, false],
    [{}, false],
    [[], false],
    [null, false],
  ])("and what reads a baseline agree on %j: %j", (value, isOk) => {
    expect(isBaseline(value)).toBe(isOk);
    expect(readBaseline(value).ok).toBe(isOk);
  });
});

describe("a report", () => {
  const formats = { jsonReport, junitReport, htmlReport, markdownReport, githubReport };

  it.each(Object.entries(formats))(
    "is the same to the byte where the seed and the clocks are (%s)",
    async (_name, write) => {
      expect(write(await reported())).toBe(write(await reported()));
    },
  );

  it.each(Object.entries(formats))(
    "tells what it is of, and what it says nothing of (%s)",
    async (_name, write) => {
      const report = await reported();
      const text = write(report);
      const { kit, requirements: digest, profile, startedAt, target: url } = report.about;
      expect(kit).toMatch(/^\d+\.\d+\.\d+/);
      for (const one of [kit, digest, profile.digest, url, "seed"]) expect(text).toContain(one);
      expect(text).toContain(startedAt.slice(0, 19));
      expect(text).toContain("the clock differs");
      expect(report.uncovered.length).toBeGreaterThan(50);
      for (const { id } of report.uncovered) expect(text).toContain(id);
    },
  );

  it.each(Object.entries(formats))("shows a failure whole (%s)", async (_name, write) => {
    const text = write(await reported());
    for (const one of ["P-REFUND-KEY", "two refunds", "again provider/a 1 0:1"])
      expect(text).toContain(one);
    if (write === githubReport) return;
    for (const one of [
      "GET / HTTP/1.1",
      "curl http://127.0.0.1:1",
      "docs/requirements.md#p-refund-key",
    ])
      expect(text).toContain(one);
    expect(text).toMatch(/would pay twice/);
  });
});
