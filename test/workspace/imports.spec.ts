import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Imports by their package. */
const pairs = (table: Readonly<Record<string, string>>) =>
  Object.entries(table).flatMap(([where, names]) =>
    names.split(" ").map((what) => ({ where, what })),
  );
// Imports against the arrows of ARCHITECTURE.md.
const forbidden = pairs({
  "packages/signatures": "@countersign/rules node:fs lodash ../../rules/src/index.ts",
  "packages/rules": "@countersign/schemas node:crypto lodash",
  schemas: "@countersign/rules node:fs ../../packages/rules/src/index.ts",
  "packages/receiver": "@countersign/service undici ../../service/src/index.ts",
  "packages/service": "@countersign/receiver @countersign/sandbox ../../sandbox/src/index.ts",
  "packages/sandbox": "@countersign/receiver",
  "packages/client": "@countersign/receiver @countersign/service",
  "packages/contract-kit": "@countersign/service @countersign/sandbox ../../client/src/index.ts",
  "packages/inspector": "@countersign/rules @countersign/sandbox",
  "packages/cli": "@countersign/example-merchant",
  "examples/merchant": "@countersign/signatures",
});
const allowed = pairs({
  "packages/signatures": "node:crypto",
  "packages/receiver": "@countersign/rules @countersign/schemas/profiles node:sqlite",
  "packages/service": "undici",
  "packages/sandbox": "@countersign/service",
  "packages/client": "@countersign/rules",
  "packages/contract-kit": "@countersign/client @countersign/receiver",
  "packages/inspector": "@countersign/schemas",
  "packages/cli": "@countersign/sandbox @countersign/contract-kit",
  "examples/merchant": "@countersign/receiver/express",
});
const probes = [...forbidden, ...allowed];

/** Lints one file per import under the repository's own configuration. */
function lint(folder: string) {
  cpSync(join(root, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
  for (const [index, { where, what }] of probes.entries()) {
    const file = join(folder, where, "src", `probe${String(index)}.ts`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `import * as name from "${what}";\nexport const used = name;\n`);
  }
  const { stdout } = spawnSync(join(root, "node_modules/.bin/oxlint"), ["--format=json"], {
    cwd: folder,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  return JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] };
}

describe("the linter", () => {
  it("rejects every import against the arrows of ARCHITECTURE.md and accepts others", () => {
    const folder = temporaryFolder();
    const refused = lint(folder)
      .diagnostics.filter(({ code }) => code.includes("no-restricted-imports"))
      .map(({ filename }) => Number(/probe(\d+)/.exec(filename)?.[1]));
    expect(probes.filter((_, index) => refused.includes(index))).toEqual(forbidden);
  });
});
