import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

// What each package imports here is against the arrows of ARCHITECTURE.md.
const forbidden = [
  ["packages/signatures", "@countersign/rules"],
  ["packages/signatures", "node:fs"],
  ["packages/signatures", "lodash"],
  ["packages/signatures", "../../rules/src/index.ts"],
  ["packages/rules", "@countersign/schemas"],
  ["packages/rules", "node:crypto"],
  ["packages/rules", "lodash"],
  ["schemas", "@countersign/rules"],
  ["schemas", "node:fs"],
  ["schemas", "../../packages/rules/src/index.ts"],
  ["packages/receiver", "@countersign/service"],
  ["packages/receiver", "undici"],
  ["packages/receiver", "../../service/src/index.ts"],
  ["packages/service", "@countersign/receiver"],
  ["packages/service", "@countersign/sandbox"],
  ["packages/service", "../../sandbox/src/index.ts"],
  ["packages/sandbox", "@countersign/receiver"],
  ["packages/client", "@countersign/receiver"],
  ["packages/client", "@countersign/service"],
  ["packages/contract-kit", "@countersign/service"],
  ["packages/contract-kit", "@countersign/sandbox"],
  ["packages/contract-kit", "../../client/src/index.ts"],
  ["packages/inspector", "@countersign/rules"],
  ["packages/inspector", "@countersign/sandbox"],
  ["packages/cli", "@countersign/example-merchant"],
  ["examples/merchant", "@countersign/signatures"],
] as const;
const allowed = [
  ["packages/signatures", "node:crypto"],
  ["packages/receiver", "@countersign/rules"],
  ["packages/receiver", "@countersign/schemas/profiles"],
  ["packages/receiver", "node:sqlite"],
  ["packages/service", "undici"],
  ["packages/sandbox", "@countersign/service"],
  ["packages/client", "@countersign/rules"],
  ["packages/contract-kit", "@countersign/client"],
  ["packages/contract-kit", "@countersign/receiver"],
  ["packages/inspector", "@countersign/schemas"],
  ["packages/cli", "@countersign/sandbox"],
  ["packages/cli", "@countersign/contract-kit"],
  ["examples/merchant", "@countersign/receiver/express"],
] as const;

let refused: string[];
let folder: string;

/** One file an import, under the repository's own configuration; lint once. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-imports-"));
  cpSync(join(root, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
  for (const [index, [where, what]] of [...forbidden, ...allowed].entries()) {
    const file = join(folder, where, "src", `probe${String(index)}.ts`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `import * as name from "${what}";\nexport const used = name;\n`);
  }
  let report: string;
  try {
    report = execFileSync(join(root, "node_modules/.bin/oxlint"), ["--format=json"], {
      cwd: folder,
      encoding: "utf8",
      shell: process.platform === "win32",
    });
  } catch (error) {
    // Findings are the exit code 1 of a linter that worked.
    report = (error as { stdout: string }).stdout;
  }
  const { diagnostics } = JSON.parse(report) as {
    diagnostics: { code: string; filename: string }[];
  };
  refused = diagnostics
    .filter(({ code }) => code.includes("no-restricted-imports"))
    .map(({ filename }) => /probe(\d+)/.exec(filename)?.[1] ?? "");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the linter", () => {
  it.each(forbidden.map(([where, what], index) => ({ where, what, index })))(
    "refuses $what in $where",
    ({ index }) => {
      expect(refused).toContain(String(index));
    },
  );

  it.each(
    allowed.map(([where, what], index) => ({ where, what, index: forbidden.length + index })),
  )("lets $where import $what", ({ index }) => {
    expect(refused).not.toContain(String(index));
  });
});
