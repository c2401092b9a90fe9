import { chmodSync, existsSync, globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { serveHere, type Served } from "../../packages/cli/test/ran.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** The system's opener, which a shell script replaces. */
const opener = process.platform === "darwin" ? "open" : "xdg-open";

/** Serves with a path that starts with a folder. */
async function startSandbox(folder: string, ...path: readonly string[]): Promise<Served> {
  vi.stubEnv("PATH", [folder, ...path].join(delimiter));
  onTestFinished(() => void vi.unstubAllEnvs());
  const database = join(folder, "sandbox.db");
  return serveHere(["sandbox", "--open", "--port", "0", "--database", database]);
}

describe.skipIf(process.platform === "win32")("countersign sandbox --open", () => {
  it("C7 opens a page that only its user can read, with no key among the opener's arguments", async () => {
    const folder = temporaryFolder();
    const stub = join(folder, opener);
    const script = `printf '%s\\n' "$@" >> "$0.part"\nmv "$0.part" "$0.opened"\n`;
    writeFileSync(stub, `#!/bin/sh\n${script}`);
    chmodSync(stub, 0o755);
    const { stderr, end } = await startSandbox(folder, process.env["PATH"] ?? "");
    await expect.poll(() => existsSync(`${stub}.opened`)).toBe(true);
    const opened = readFileSync(`${stub}.opened`, "utf8").trim().split("\n");
    expect(opened).toEqual([expect.stringMatching(/^file:\/\/\/[^#?]+\/open\.html$/)]);
    const file = fileURLToPath(opened[0] ?? "");
    const modes = [file, dirname(file)].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o600, 0o700]);
    const [, address = ""] = /content="0; url=([^"]+)"/.exec(readFileSync(file, "utf8")) ?? [];
    expect(stderr()).toContain(` ${address}\n`);
    expect(address).toMatch(/\/inspector\/#key=.{22}$/);
    expect(await end()).toBe(0);
    expect(existsSync(dirname(file))).toBe(false);
  });

  it("prints that the system has no opener, and continues", async () => {
    const { stderr, end } = await startSandbox(temporaryFolder());
    await expect.poll(stderr).toContain(`--open: no ${opener} here; open the address by hand`);
    expect(await end()).toBe(0);
  });
});

it("the inspector has at most 110 kB of packed scripts", () => {
  const folder = fileURLToPath(new URL("../../packages/inspector/dist", import.meta.url));
  const packed = globSync("**/*.js", { cwd: folder }).map(
    (name) => gzipSync(readFileSync(join(folder, name))).length,
  );
  const bytes = packed.reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(110_000);
});
