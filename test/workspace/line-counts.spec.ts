import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { root } from "../../scripts/packages.ts";

const read = (path: string): string => readFileSync(root + path, "utf8");

it("a mint script has at most 20 lines", () => {
  const scripts = globSync("contracts/mint/providers/*.mjs", { cwd: root });
  expect(scripts.length).toBeGreaterThan(70);
  expect(scripts.filter((path) => read(path).trimEnd().split("\n").length > 20)).toEqual([]);
});

it("the example of three providers has as many lines of code as its README says", () => {
  const lines = read("examples/three-providers/src/server.ts").split("\n");
  const code = lines.filter((line) => !/^\s*(?:\/\/.*)?$/.test(line));
  expect(read("examples/three-providers/README.md")).toContain(`${code.length} lines of code`);
});
