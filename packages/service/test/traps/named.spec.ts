import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

/** The files of all tests, of the packages and of what spans them. */
function testFiles(): string[] {
  const folders = [
    "test",
    ...readdirSync(join(root, "packages")).map((name) => `packages/${name}/test`),
  ];
  return folders.flatMap((folder) => {
    try {
      const names = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
      return names
        .filter((name) => /\.(?:spec|slow)\.ts$/.test(name))
        .map((name) => join(root, folder, name));
    } catch {
      return [];
    }
  });
}

/** The ids of traps in a test's texts; comments cite without testing. */
function trapsIn(file: string): string[] {
  const lines = readFileSync(file, "utf8").split("\n");
  const titles = lines.filter((line) => !/^\s*(?:\/\/|\*|\/\*)/.test(line) && /["'`]/.test(line));
  return titles.flatMap((line) => line.match(/\bT-\d{2}\b/g) ?? []);
}

describe("the traps of the interface", () => {
  it("are each named by a test, from the first to the thirty-fourth", () => {
    // This file's own titles name none.
    const named = new Set(testFiles().flatMap((file) => trapsIn(file)));
    const all = Array.from({ length: 34 }, (_, at) => `T-${String(at + 1).padStart(2, "0")}`);
    expect([...named].toSorted()).toEqual(all);
  });
});
