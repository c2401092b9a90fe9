import { describe, expect, it } from "vitest";
import { drawn, seed } from "../../seed.ts";
import { hostileProviders, meetReceiver } from "./meet.ts";
import { hostilities } from "./servers.ts";

// packages/contract-kit tests hostile texts in reports.
describe(
  `a run against a hostile target, some drawn with seed ${seed},`,
  { timeout: 60_000 },
  () => {
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

    hostileProviders(drawn(Object.keys(hostilities), 6));
  },
);
