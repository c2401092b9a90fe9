import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { formatsOf, type Meeting, meetProvider, meetReceiver } from "./meet.ts";
import { hostilities } from "./servers.ts";

const WELL_FORMED =
  "import sys, xml.dom.minidom; xml.dom.minidom.parseString(sys.stdin.buffer.read())";

describe.each(Object.keys(hostilities))("a run against a target that %s", (name) => {
  it.each<readonly [string, () => Promise<Meeting>]>([
    ["a receiver", () => meetReceiver(name, "attempts")],
    ["a receiver's effects", () => meetReceiver(name, "effects")],
    ["a provider", () => meetProvider(name, "a-secret-of-the-client")],
  ])(
    "ends with a well-formed, safe report if it is %s",
    async (_role, meet) => {
      const before = process.memoryUsage().rss;
      const { document, asked, injected } = await meet();
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
