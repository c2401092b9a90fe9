import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { hostilities } from "./hostile-servers.ts";
import { formatsOf, injectedInto, meet } from "./meet.ts";

const everywhere = Object.keys(hostilities).flatMap((name) =>
  (["attempts", "effects"] as const).map((where) => [name, where] as const),
);

const WELL_FORMED =
  "import sys, xml.dom.minidom; xml.dom.minidom.parseString(sys.stdin.buffer.read())";

describe("the kit at a target that", () => {
  it.each(everywhere)(
    "%s, as %s, comes to an end with a report, in which nothing is injected",
    async (name, where) => {
      const { document, asked, strayed, cpuMs, keptBytes } = await meet(name, where);
      expect(asked.length).toBeGreaterThan(0);
      expect(strayed).toEqual([]);
      expect(document.exitCode).not.toBe(0);
      expect(document.entries.length).toBeGreaterThan(20);
      expect(keptBytes).toBeLessThan(400 * 2 ** 20);
      const formats = formatsOf(document);
      const injected = Object.entries(formats).flatMap(([format, text]) =>
        injectedInto(format, text),
      );
      expect(injected).toEqual([]);
      execFileSync("python3", ["-c", WELL_FORMED], { input: formats["junit"] });
      console.log(
        `${name} (${where}): ${asked.length} requests, ${Math.round(cpuMs)} ms, exit ${document.exitCode}`,
      );
    },
    60_000,
  );
});
