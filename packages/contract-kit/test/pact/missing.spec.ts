import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

it("a verification without Pact names the line that installs it", () => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-no-pact-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const sources = fileURLToPath(new URL("../../src/pact/", import.meta.url));
  for (const name of ["run-child.ts", "pact-missing-error.ts"])
    cpSync(join(sources, name), join(folder, name));
  const program = `
    import { runChild } from "./run-child.ts";
    runChild({}, { limitMs: 1000 }).catch((error) => console.log(error.code, error.message));`;
  // Nothing of this workspace is found from there: no path of the environment leads to it either.
  const said = execFileSync(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: folder,
    env: {},
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  expect(said).toMatch(/^CS_KIT_PACT_MISSING .*npm install --save-dev --ignore-scripts/);
});
