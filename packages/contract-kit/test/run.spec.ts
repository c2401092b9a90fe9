import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import type { ProviderCheck } from "../src/check.ts";
import type { Verdict } from "../src/finding.ts";
import type { Requirement } from "../src/requirement.ts";
import { requirements } from "../src/requirements.ts";
import { run } from "../src/run.ts";
import type { ProviderTarget } from "../src/target.ts";

const target: ProviderTarget = {
  role: "provider",
  url: "http://127.0.0.1:1",
  send: () => Promise.reject(new Error("nobody is there")),
  token: () => Promise.resolve("token"),
  profile: profiles.standard,
};
const requirementOf = (id: string, level: Requirement["level"] = "MUST"): Requirement => ({
  id,
  level,
  role: "provider",
  sentence: "A sentence that a test can fail.",
  source: "S 1",
  why: "Something goes wrong.",
  fix: "Change something.",
  checks: [],
});
const listed = [requirementOf("P-A"), requirementOf("P-B", "SHOULD"), requirementOf("P-C")];
const checkOf = (id: string, verdicts: readonly Verdict[]): ProviderCheck => ({
  id,
  title: id,
  role: "provider",
  requirements: verdicts.map(({ requirement }) => requirement),
  run: () => Promise.resolve(verdicts),
});
const failed = (requirement: string): Verdict => ({ requirement, status: "fail", message: "no" });

describe("a run of checks", () => {
  it("reports a finding of each requirement, and what no check tests", async () => {
    const checks = [checkOf("provider/a", [{ requirement: "P-A", status: "pass" }])];
    const report = await run({ target, checks, requirements: listed });
    expect(report.findings).toMatchObject([{ check: "provider/a", status: "pass", message: "" }]);
    expect(report).toMatchObject({ exitCode: 0, uncovered: ["P-B", "P-C"], role: "provider" });
  });

  it("ends with 1 where a MUST fails", async () => {
    const checks = [checkOf("provider/a", [failed("P-A")])];
    expect(await run({ target, checks, requirements: listed })).toMatchObject({ exitCode: 1 });
  });

  it("warns of a SHOULD, and fails it only where it is asked to be strict", async () => {
    const checks = [checkOf("provider/b", [failed("P-B")])];
    const mild = await run({ target, checks, requirements: listed });
    expect(mild).toMatchObject({ exitCode: 0, findings: [{ status: "warn" }] });
    const strict = await run({ target, checks, requirements: listed, strict: true });
    expect(strict).toMatchObject({ exitCode: 1, findings: [{ status: "fail" }] });
  });

  it("takes a check that breaks for an error, never for a failure of the target", async () => {
    const broken = checkOf("provider/a", [failed("P-A")]);
    const checks = [{ ...broken, run: () => Promise.reject(new Error("no answer")) }];
    const report = await run({ target, checks, requirements: listed });
    expect(report).toMatchObject({
      exitCode: 2,
      findings: [{ status: "error", message: "no answer" }],
    });
  });

  it("takes a check without a verdict for an error", async () => {
    const checks = [{ ...checkOf("provider/a", [failed("P-A")]), run: () => Promise.resolve([]) }];
    const report = await run({ target, checks, requirements: listed });
    expect(report).toMatchObject({ exitCode: 2, findings: [{ status: "error" }] });
  });

  it("ends with 2 where nothing was tested", async () => {
    const checks = [checkOf("provider/a", [failed("P-A")])];
    const only = ["provider/nothing"];
    const report = await run({ target, checks, requirements: listed, only });
    expect(report).toMatchObject({ exitCode: 2, findings: [] });
  });

  it("skips what it is told to, with the reason, and does not run it", async () => {
    let ran = 0;
    const check = checkOf("provider/a", [failed("P-A")]);
    const counting = { ...check, run: () => Promise.resolve([failed("P-A")].slice(ran++)) };
    const skip = { "provider/a": "known" };
    const report = await run({ target, checks: [counting], requirements: listed, skip });
    expect(report).toMatchObject({
      exitCode: 0,
      findings: [{ status: "skipped", message: "known" }],
    });
    expect(ran).toBe(0);
  });

  it("judges one requirement alone where only that is asked for", async () => {
    const checks = [checkOf("provider/a", [failed("P-A"), failed("P-C")])];
    const only = ["P-C"];
    const report = await run({ target, checks, requirements: listed, only });
    expect(report.findings.map(({ requirement }) => requirement.id)).toEqual(["P-C"]);
  });

  it("refuses a check that names a requirement that is not there", async () => {
    const checks = [checkOf("provider/a", [failed("P-Z")])];
    await expect(run({ target, checks, requirements: listed })).rejects.toThrow(TypeError);
  });
});

describe("the requirements", () => {
  it("are read from the package that publishes them, with their role", () => {
    expect(requirements("receiver").every(({ role }) => role === "receiver")).toBe(true);
    expect(requirements().length).toBe(
      requirements("receiver").length + requirements("provider").length,
    );
  });
});
