import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import type { Finding } from "../../src/finding.ts";
import { receiverChecks } from "../../src/receiver/receiver-checks.ts";
import { requirements } from "../../src/requirements.ts";
import { run, type Report } from "../../src/run.ts";
import type { ReceiverTarget } from "../../src/target.ts";
import { openReceiver } from "./open-receiver.ts";

const runAll = (target: ReceiverTarget, only?: readonly string[]): Promise<Report> =>
  run({
    target,
    checks: receiverChecks,
    requirements: requirements("receiver"),
    ...(only && { only }),
  });
const told = (findings: readonly Finding[], status: Finding["status"]): string[] =>
  findings
    .filter((one) => one.status === status)
    .map(({ requirement, message }) => `${requirement.id}: ${message}`);

describe("our own receiver", () => {
  it("passes every check that does not wait", async () => {
    const { findings, exitCode } = await runAll(await openReceiver());
    for (const status of ["fail", "warn", "error", "skipped"] as const)
      expect(told(findings, status)).toEqual([]);
    expect(exitCode).toBe(0);
  });

  it("passes with another scheme and another envelope", async () => {
    const profile = profiles["x-signature"];
    const { findings } = await runAll(await openReceiver({ profile }));
    for (const status of ["fail", "warn", "error", "skipped"] as const)
      expect(told(findings, status)).toEqual([]);
  });

  it("is told nothing of its handlers where nobody shows them", async () => {
    const { findings, exitCode } = await runAll(await openReceiver({ hasEffects: false }));
    expect(exitCode).toBe(0);
    expect(told(findings, "not_applicable").join("\n")).toMatch(/^R-ROUTE-ONE: /m);
  });
});

describe("a receiver that refuses everything", () => {
  it("fails what it does not take, and passes no check of refusals", async () => {
    const target = await openReceiver({
      fault: () => (_request, response) => response.writeHead(401).end(),
    });
    const { findings } = await runAll(target);
    expect(told(findings, "pass")).toEqual(["R-ACK-IN-TIME: "]);
    expect(told(findings, "fail")).toEqual([expect.stringMatching(/^R-ACK-GENUINE: /)]);
  });
});
