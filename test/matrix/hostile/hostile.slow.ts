import { describe, expect, it } from "vitest";
import { meetProvider, meetReceiver } from "./meet.ts";
import { hostilities } from "./servers.ts";

const roles = {
  "a receiver": (name: string) => meetReceiver(name, "attempts"),
  "a report of effects": (name: string) => meetReceiver(name, "effects"),
  "a provider": (name: string) => meetProvider(name, "a-secret-of-the-client"),
};

describe.each(Object.entries(roles))("a run against a hostile target: %s", (_role, meet) => {
  it.each(Object.keys(hostilities))(
    "ends with a report, in bounded memory, if it %s",
    async (name) => {
      const before = process.memoryUsage().rss;
      const { report, asked } = await meet(name);
      expect(asked.length).toBeGreaterThan(0);
      expect(asked.filter((line) => line.includes("/elsewhere"))).toEqual([]);
      expect(report.exitCode).not.toBe(0);
      expect(report.findings.length).toBeGreaterThan(20);
      expect(process.memoryUsage().rss - before).toBeLessThan(400 * 2 ** 20);
    },
    60_000,
  );
});
