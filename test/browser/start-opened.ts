import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { serveHere, type Served } from "../../packages/cli/test/ran.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** The system's opener, if a shell script can replace it. */
const openers: Readonly<Record<string, string>> = { linux: "xdg-open", darwin: "open" };
export const opener = openers[process.platform] ?? "";

/** Serves with a path that starts with an empty folder. */
export async function startSandbox(path: readonly string[]): Promise<Served> {
  // Builds the page unless it was built from these sources.
  await import("../../packages/dev/bin/build-inspector.ts");
  vi.stubEnv("PATH", path.join(delimiter));
  onTestFinished(() => void vi.unstubAllEnvs());
  const database = join(path[0] ?? "", "sandbox.db");
  return serveHere(["sandbox", "--open", "--port", "0", "--database", database]);
}

/** Starts a sandbox whose opener records its arguments. */
export async function startOpened() {
  const folder = temporaryFolder();
  const stub = join(folder, opener);
  const script = `printf '%s\\n' "$@" >> "$0.part"\nmv "$0.part" "$0.opened"\n`;
  writeFileSync(stub, `#!/bin/sh\n${script}`);
  chmodSync(stub, 0o755);
  const served = await startSandbox([folder, process.env["PATH"] ?? ""]);
  await expect.poll(() => existsSync(`${stub}.opened`)).toBe(true);
  return { ...served, opened: readFileSync(`${stub}.opened`, "utf8").trim().split("\n") };
}
