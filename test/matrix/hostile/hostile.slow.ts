import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { formatsOf, meetProvider, meetReceiver } from "./meet.ts";
import { hostilities } from "./servers.ts";

const WELL_FORMED =
  "import sys, xml.dom.minidom; xml.dom.minidom.parseString(sys.stdin.buffer.read())";
const roles = {
  "a receiver": (name: string) => meetReceiver(name, "attempts"),
  "a report of effects": (name: string) => meetReceiver(name, "effects"),
  "a provider": (name: string) => meetProvider(name, "a-secret-of-the-client"),
};

describe.each(Object.entries(roles))("a run against a hostile target: %s", (_role, meet) => {
  it.each(Object.keys(hostilities))(
    "ends with a well-formed, safe report if it %s",
    async (name) => {
      const before = process.memoryUsage().rss;
      const { document, asked, injected } = await meet(name);
      expect(asked.length).toBeGreaterThan(0);
      expect(asked.filter((line) => line.includes("/elsewhere"))).toEqual([]);
      expect(document.exitCode).not.toBe(0);
      expect(document.entries.length).toBeGreaterThan(20);
      expect(injected).toEqual([]);
      execFileSync("python3", ["-c", WELL_FORMED], { input: formatsOf(document)["junit"] });
      expect(process.memoryUsage().rss - before).toBeLessThan(400 * 2 ** 20);
    },
    60_000,
  );
});
