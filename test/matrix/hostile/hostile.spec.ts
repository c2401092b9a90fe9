import { describe, expect, it } from "vitest";
import { meetProvider, meetReceiver } from "./meet.ts";
import { hostilities } from "./servers.ts";

// What the reports make of hostile texts is tested in packages/contract-kit.
describe("a run against a hostile target", { timeout: 60_000 }, () => {
  it.concurrent.each([
    "answers 500 with markup and commands",
    "sends headers without end",
    "redirects",
  ])("ends with a report if a receiver %s", async (name) => {
    const { report, asked } = await meetReceiver(name);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((line) => !/^[A-Z]+ \/webhooks HTTP\/1\.1$/.test(line))).toEqual([]);
    expect(report.exitCode).not.toBe(0);
  });

  it.concurrent.each(Object.keys(hostilities))(
    "ends with a report if a provider %s",
    async (name) => {
      const secret = "a-secret-of-the-client";
      const { report } = await meetProvider(name, secret);
      expect([1, 2]).toContain(report.exitCode);
      expect(report.findings.filter(({ status }) => status === "pass")).toEqual([]);
      expect(JSON.stringify(report.findings)).not.toContain(secret);
      expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    },
  );
});
