import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

it("the code in the README runs as it is printed", async () => {
  const output = fileURLToPath(new URL("output/", import.meta.url));
  // Inside the package, so that its names are found.
  mkdirSync(output, { recursive: true });
  const folder = mkdtempSync(join(output, "readme-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "readme.ts"), /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "");
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@countersign/source", "readme.ts"],
    { cwd: folder },
  );
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+ cli_\S+\n$/);
});
