import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import {
  type ProviderCheck,
  type Verdict,
  requirements,
  type Level,
  type Requirement,
} from "../src/check.ts";
import { reportOfRun } from "../src/report/document.ts";
import { run, type Report, type RunOptions } from "../src/run.ts";
import type { ProviderTarget } from "../src/target.ts";
import { checkOf, unreachable } from "./fake-provider.ts";

const requirementOf = (id: string, level: Level = "exploitable"): Requirement => ({
  id,
  level,
  role: "provider",
  checks: [],
  sentence: "A sentence.",
  source: "S 1",
  why: "A reason.",
  fix: "A change.",
});
const listed = [requirementOf("P-A"), requirementOf("P-B", "hygiene"), requirementOf("P-C")];
const failed = (requirement: string): Verdict => ({ requirement, status: "fail", message: "no" });
const ran = (
  check: ProviderCheck,
  options: Partial<RunOptions<ProviderTarget>> = {},
): Promise<Report> =>
  run({ target: unreachable, checks: [check], requirements: listed, ...options });

describe("a run", () => {
  it("reports a finding of each requirement, and requirements without a check", async () => {
    const report = await ran(checkOf("provider/a", { requirement: "P-A", status: "pass" }));
    expect(report.findings).toMatchObject([{ check: "provider/a", status: "pass", message: "" }]);
    expect(report).toMatchObject({ exitCode: 0, uncovered: ["P-B", "P-C"], role: "provider" });
  });

  it("ends with 2 if a check breaks or has no verdict, or if nothing was tested", async () => {
    const check = checkOf("provider/a", failed("P-A"));
    const broken = await ran({ ...check, run: () => Promise.reject(new Error("no answer")) });
    const error = { status: "error", message: "no answer" };
    expect(broken).toMatchObject({ exitCode: 2, findings: [error] });
    const silent = await ran({ ...check, run: () => Promise.resolve([]) });
    expect(silent).toMatchObject({ exitCode: 2, findings: [{ status: "error" }] });
    const nothing = await ran(check, { only: ["provider/nothing"] });
    expect(nothing).toMatchObject({ exitCode: 2, findings: [] });
  });

  it("reports a skipped check with its reason, without running it, and ends with 2 if all are", async () => {
    let runs = 0;
    const check = checkOf("provider/a", failed("P-A"));
    const counting = { ...check, run: () => Promise.resolve([failed("P-A")].slice(runs++)) };
    expect(await ran(counting, { skip: { "provider/a": "known" } })).toMatchObject({
      exitCode: 2,
      findings: [{ status: "skipped", message: "known" }],
    });
    expect(runs).toBe(0);
  });

  it("leaves out what a profile without payments does not have, and a check that is about it", async () => {
    const ofPayments = { ...requirementOf("P-A"), needs: "payments" } as const;
    const { payments: _, ...profile } = profiles.standard;
    const options = {
      target: { ...unreachable, profile },
      requirements: [ofPayments, ...listed.slice(1)],
    };
    const about = await ran(checkOf("provider/a", failed("P-A"), failed("P-B")), options);
    expect(about).toMatchObject({ exitCode: 2, findings: [], uncovered: ["P-B", "P-C"] });
    const partly = await ran(checkOf("provider/b", failed("P-B"), failed("P-A")), options);
    expect(partly.findings.map(({ requirement }) => requirement.id)).toEqual(["P-B"]);
    expect(reportOfRun(partly).notes).toEqual([
      expect.stringMatching(
        /^\d\d requirements need payments and are not applicable: the profile standard has no payments\.$/,
      ),
    ]);
    const target = { ...unreachable, profile: profiles.standard };
    const whole = await ran(checkOf("provider/a", failed("P-A")), { ...options, target });
    expect(whole.findings).toHaveLength(1);
    expect(reportOfRun(whole).notes).toEqual([]);
  });
});

describe("the published requirements", () => {
  it("belong to one role each", () => {
    const [all, own] = [requirements(), requirements("receiver")];
    expect(own).toEqual(all.filter(({ role }) => role === "receiver"));
    expect(requirements("provider")).toHaveLength(all.length - own.length);
  });
});
