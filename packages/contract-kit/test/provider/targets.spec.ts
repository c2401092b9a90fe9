import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { providerChecks } from "../../src/checks.ts";
import { failureText } from "../../src/failure-text.ts";
import type { Finding } from "../../src/finding.ts";
import { requirements } from "../../src/requirements.ts";
import { run } from "../../src/run.ts";
import type { ProviderTarget } from "../../src/target.ts";
import { openTarget, quick, withText } from "./open-target.ts";

const all = requirements();
const idsOf = (findings: readonly Finding[], status: Finding["status"]): string[] =>
  findings.filter((one) => one.status === status).map(({ requirement }) => requirement.id);

// Every check once takes a busy machine its time.
describe("a run of all checks", { timeout: 60_000 }, () => {
  // Hundred scenarios of each in the slow lane; the broken services are in test/matrix/providers/.
  it("ends with 0 at a sandbox, each check with a pass, and tells what no check tests", async () => {
    const { target } = await openTarget(undefined, quick);
    const report = await run({ target, checks: providerChecks, requirements: all, runs: 2 });
    const owed = providerChecks.flatMap(({ id: check, requirements: tested }) =>
      tested.map((requirement) => ({ check, requirement, status: "pass", message: "" })),
    );
    const found = report.findings.map(({ check, requirement: { id }, status, message }) => ({
      check,
      requirement: id,
      status,
      message,
    }));
    expect(found).toEqual(owed);
    expect(report.exitCode).toBe(0);
    const unchecked = all.filter((one) => one.role === "provider" && one.checks.length === 0);
    expect(report.uncovered).toEqual(unchecked.map(({ id }) => id));
  });

  it("holds a service to its own profile, and tells what that profile cannot show", async () => {
    const { target } = await openTarget(undefined, profiles["x-signature"]);
    const report = await run({ target, checks: providerChecks, requirements: all, runs: 1 });
    expect(report).toMatchObject({ exitCode: 0 });
    expect(idsOf(report.findings, "not_applicable")).toEqual([
      "P-REFUND-KEY-EXISTING",
      "P-REFUND-AUTHORIZED",
      "P-REFUND-FINAL",
      "P-REFUND-HOLD-SETTLEMENT",
      "P-EVENT-TIMEOUT",
      "P-ANSWER-SCHEMA",
    ]);
    expect(report.findings.every(({ status }) => /^(pass|not_applicable)$/.test(status))).toBe(
      true,
    );
  });

  it("finds not applicable what a service without controls cannot be moved to", async () => {
    const { target } = await openTarget();
    const { controls: _, ...bare } = target;
    const report = await run({ target: bare, checks: providerChecks, requirements: all, runs: 2 });
    expect(report.exitCode).toBe(0);
    const passed = new Set(
      report.findings.filter(({ status }) => status === "pass").map(({ check }) => check),
    );
    expect([...passed]).toEqual([
      "provider/common-headers",
      "provider/bodies",
      "provider/invalid-requests",
      "provider/unsubscribing",
    ]);
    expect(idsOf(report.findings, "fail").concat(idsOf(report.findings, "error"))).toEqual([]);
  });

  it("finds not applicable what needs a clock where there is none, and checks the rest", async () => {
    const { target } = await openTarget();
    const still: ProviderTarget = {
      ...target,
      controls: (watch) => {
        const { clock: _, ...others } = target.controls?.(watch) ?? {};
        return others;
      },
    };
    const only = ["provider/refund-states", "provider/over-refund"];
    const report = await run({
      target: still,
      checks: providerChecks,
      requirements: all,
      only,
      runs: 1,
    });
    expect(idsOf(report.findings, "pass")).toEqual(["P-REFUND-SUM", "P-ANSWER-SCHEMA"]);
    expect(report.findings.find(({ status }) => status === "not_applicable")?.message).toBe(
      "the target has no control of its clock",
    );
  });

  it("plays each scenario with a merchant of its own, where one can be made", async () => {
    const { target } = await openTarget();
    let merchants = 0;
    const counted: ProviderTarget = {
      ...target,
      controls: (watch) => {
        const controls = target.controls?.(watch) ?? {};
        const merchant = async (): Promise<ProviderTarget> => {
          merchants += 1;
          return (await controls.merchant?.()) ?? target;
        };
        return { ...controls, merchant };
      },
    };
    const only = ["provider/over-refund"];
    await run({ target: counted, checks: providerChecks, requirements: all, only, runs: 3 });
    expect(merchants).toBe(3);
  });

  it("ends with 2 where nobody is there", async () => {
    const { target } = await openTarget();
    const { controls: _, ...bare } = target;
    const gone = { ...bare, send: () => Promise.reject(new Error("connect ECONNREFUSED")) };
    const only = ["provider/common-headers"];
    const report = await run({ target: gone, checks: providerChecks, requirements: all, only });
    expect(report.exitCode).toBe(2);
    expect(report.findings.every((one) => one.message === "connect ECONNREFUSED")).toBe(true);
  });
});

describe("the text of a failure", () => {
  it("has the sentence, what came, the lines for a shell and what replays it", async () => {
    const { target } = await openTarget(async (call, next) => {
      const answer = await next(call);
      return withText(answer, (text) => text.replace(/^\{/, '{"more":1,'));
    });
    const report = await run({
      target,
      checks: providerChecks,
      requirements: all,
      only: ["provider/customers"],
    });
    const failed = report.findings.find(({ status }) => status === "fail");
    expect(failed).toBeDefined();
    if (failed === undefined) return;
    const text = failureText(failed);
    expect(text).toMatch(/^P-ANSWER-SCHEMA Every call/);
    expect(text).toMatch(/\/more is not a member of this object \(additionalProperties\)/);
    expect(text).toMatch(/\n {4}ANSWER=\$\(curl -sS/);
    expect(text).toMatch(/run\(\{ …, only: \["provider\/customers"\], seed: 1, path: "0" \}\)$/);
    const replay = (check: string): string => `verify ${check}`;
    expect(failureText(failed, { replay })).toMatch(/again +verify provider\/customers$/);
  });
});
