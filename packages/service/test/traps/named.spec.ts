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

/** The ids in a test's texts; comments cite without testing. */
function idsIn(file: string, form: RegExp): string[] {
  const lines = readFileSync(file, "utf8").split("\n");
  const titles = lines.filter((line) => !/^\s*(?:\/\/|\*|\/\*)/.test(line) && /["'`]/.test(line));
  return titles.flatMap((line) => line.match(form) ?? []);
}

describe("the traps of the interface", () => {
  it("are each named by a test, from the first to the thirty-fourth", () => {
    // This file's own titles name none.
    const named = new Set(testFiles().flatMap((file) => idsIn(file, /\bT-\d{2}\b/g)));
    const all = Array.from({ length: 34 }, (_, at) => `T-${String(at + 1).padStart(2, "0")}`);
    expect([...named].toSorted()).toEqual(all);
  });
});

/** The threats to the service, of which there are 22. */
const THREATS = Array.from({ length: 22 }, (_, at) => at + 1);

describe("the threats to the service", () => {
  it("are each named by a test of the service, the sandbox or the command", () => {
    const folders = /[\\/](?:service|sandbox|cli)[\\/]test[\\/]|[\\/]main[\\/]test[\\/]/;
    const files = testFiles().filter((file) => folders.test(file));
    const named = new Set(files.flatMap((file) => idsIn(file, /\bB\d{1,2}\b/g)));
    expect(THREATS.map((id) => `B${id}`).filter((id) => !named.has(id))).toEqual([]);
  });
});
