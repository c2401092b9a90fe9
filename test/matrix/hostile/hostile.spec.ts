import { describe, expect, it } from "vitest";
import { meetProvider, meetReceiver } from "./meet.ts";

// A sample; the slow lane meets every behaviour, as a receiver, as its effects and as a provider. What the
// reports make of hostile texts is tested in packages/contract-kit.
describe("a run against a hostile target", { timeout: 60_000 }, () => {
  it.concurrent.each([
    "answers 500 with markup and commands",
    "sends headers without end",
    "redirects",
  ])("ends with a report if a receiver %s", async (name) => {
    const { report, asked } = await meetReceiver(name, "attempts");
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((line) => !/^[A-Z]+ \/webhooks HTTP\/1\.1$/.test(line))).toEqual([]);
    expect(report.exitCode).not.toBe(0);
  });

  it.concurrent.each([
    "never answers",
    "hangs up at once",
    "resets the connection in the middle of an answer",
    "sends a body a byte at a time",
    "sends a body without end",
    "sends a gzip bomb",
    "answers 200 with markup and commands",
    "answers with deeply nested arrays",
    "answers with deeply nested objects",
    "answers with members of Object.prototype",
    "redirects",
  ])("ends with a report if a provider %s", async (name) => {
    const secret = "a-secret-of-the-client";
    const { report } = await meetProvider(name, secret);
    expect([1, 2]).toContain(report.exitCode);
    expect(report.findings.filter(({ status }) => status === "pass")).toEqual([]);
    expect(JSON.stringify(report.findings)).not.toContain(secret);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});
