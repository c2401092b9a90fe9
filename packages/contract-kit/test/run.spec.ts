import { describe, expect, it } from "vitest";
import {
  type ProviderCheck,
  type Verdict,
  requirements,
  type Level,
  type Requirement,
} from "../src/check.ts";
import { run, type Report, type RunOptions } from "../src/run.ts";
import type { ProviderTarget } from "../src/target.ts";
import { checkOf, unreachable } from "./fake-provider.ts";

const requirementOf = (id: string, level: Level = "exploitable"): Requirement => ({
  id,
  level,
  since: "2026-11",
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

  it("judges only requirements that are not newer than its version, by default all", async () => {
    const newer = { ...requirementOf("P-A"), since: "2027-01" };
    const options = { requirements: [newer, requirementOf("P-B")] };
    const check = { ...checkOf("provider/a", failed("P-A")), requirements: ["P-A", "P-B"] };
    const old = await ran(check, { ...options, version: "2026-11" });
    expect(old.findings.map(({ requirement }) => requirement.id)).toEqual(["P-B"]);
    const latest = await ran(check, options);
    expect(latest).toMatchObject({ version: "2027-01", exitCode: 1 });
  });

  it("ends with 2 if a check leaves a requirement out, unless another one fails", async () => {
    const lost: Verdict = { requirement: "P-B", status: "skipped", message: "the target ended" };
    const check = checkOf("provider/a", { requirement: "P-A", status: "pass" });
    const both = { ...check, requirements: ["P-A", "P-B"] };
    const only = (first: Verdict) => ({ ...both, run: () => Promise.resolve([first, lost]) });
    expect((await ran(only({ requirement: "P-A", status: "pass" }))).exitCode).toBe(2);
    expect((await ran(only(failed("P-A")))).exitCode).toBe(1);
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
});

describe("the published requirements", () => {
  it("belong to one role each", () => {
    const [all, own] = [requirements(), requirements("receiver")];
    expect(own).toEqual(all.filter(({ role }) => role === "receiver"));
    expect(requirements("provider")).toHaveLength(all.length - own.length);
  });
});
