import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("the package's main entry exports at most 40 names", () => {
  const entry = readFileSync(new URL("../src/index.ts", import.meta.url), "utf8");
  const names = [...entry.matchAll(/\{([^}]*)\}/g)].flatMap(([, list = ""]) =>
    list.split(",").filter((name) => name.trim() !== ""),
  );
  expect(names.length).toBeGreaterThan(20);
  expect(names.length).toBeLessThanOrEqual(40);
  expect(entry).not.toContain("export *");
});
