import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("the package exports at most 40 names, with types", () => {
  const source = readFileSync(new URL("../src/index.ts", import.meta.url), "utf8");
  const names = [...source.matchAll(/\{([^}]*)\}/g)].flatMap(([, list = ""]) =>
    list.split(",").filter((name) => name.trim() !== ""),
  );
  expect(names.length).toBeLessThanOrEqual(40);
});
