import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

/** The ids of this form in the texts of test files; comments cite without testing. */
function idsIn(files: string, form: RegExp): Set<string> {
  const lines = globSync(`${files}/test/**/*.{spec,slow}.ts`, { cwd: root })
    .flatMap((file) => readFileSync(join(root, file), "utf8").split("\n"))
    .filter((line) => !/^\s*(?:\/\/|\*|\/\*)/.test(line) && /["'`]/.test(line));
  return new Set(lines.flatMap((line) => line.match(form) ?? []));
}
const numbered = (count: number, name: (number: number) => string): string[] =>
  Array.from({ length: count }, (_, at) => name(at + 1));

describe("every id of the interface's traps and the service's threats", () => {
  it("is named by a test: each of the 34 traps", () => {
    // This file's own titles name none.
    const named = [...idsIn("packages/*", /\bT-\d{2}\b/g), ...idsIn(".", /\bT-\d{2}\b/g)];
    const all = numbered(34, (number) => `T-${String(number).padStart(2, "0")}`);
    expect([...new Set(named)].toSorted()).toEqual(all);
  });

  it("is named by a test of the service, the sandbox or the command: each of the 22 threats", () => {
    const named = idsIn("packages/{service,sandbox,cli}", /\bB\d{1,2}\b/g);
    expect(numbered(22, (number) => `B${number}`).filter((id) => !named.has(id))).toEqual([]);
  });
});
