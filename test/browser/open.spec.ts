import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { serveHere, type Served } from "../../packages/cli/test/ran.ts";
import { browserOfFile, describeInBrowser } from "./chromium.ts";
import { temporaryFolder } from "../../packages/cli/test/start-command.ts";

/** The system's opener, where a shell script can replace it. */
const openers: Readonly<Record<string, string>> = { linux: "xdg-open", darwin: "open" };
const opener = openers[process.platform] ?? "";

/** Serves with a path that starts with an empty folder. */
async function startSandbox(path: readonly string[]): Promise<Served> {
  // Builds the page unless it was built from these sources.
  await import("../../packages/dev/bin/build-inspector.ts");
  vi.stubEnv("PATH", path.join(delimiter));
  onTestFinished(() => void vi.unstubAllEnvs());
  const database = join(path[0] ?? "", "sandbox.db");
  return serveHere(["sandbox", "--open", "--port", "0", "--database", database]);
}

/** Starts a sandbox whose opener records its arguments. */
async function startOpened() {
  const folder = temporaryFolder();
  const stub = join(folder, opener);
  const script = `printf '%s\\n' "$@" >> "$0.part"\nmv "$0.part" "$0.opened"\n`;
  writeFileSync(stub, `#!/bin/sh\n${script}`);
  chmodSync(stub, 0o755);
  const served = await startSandbox([folder, process.env["PATH"] ?? ""]);
  await expect.poll(() => existsSync(`${stub}.opened`)).toBe(true);
  return { ...served, opened: readFileSync(`${stub}.opened`, "utf8").trim().split("\n") };
}

describe.skipIf(opener === "")("countersign sandbox --open", () => {
  it("C7 opens a page that only its user can read, with no key among the opener's arguments", async () => {
    const { opened, stderr, end } = await startOpened();
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

  it("prints that the system has no opener, and goes on", async () => {
    const { stderr, end } = await startSandbox([temporaryFolder()]);
    await expect.poll(stderr).toContain(`--open: no ${opener} here; open the address by hand`);
    expect(await end()).toBe(0);
  });
});

describeInBrowser("the page that countersign sandbox --open opens", () => {
  const browser = browserOfFile();

  it.skipIf(opener === "")("leads the browser to the inspector and opens its session", async () => {
    const { opened, end } = await startOpened();
    const tab = await (await browser()).newPage();
    await tab.goto(opened[0] ?? "");
    await tab.locator(".connection.live").waitFor();
    expect(new URL(tab.url()).pathname).toBe("/inspector/");
    await tab.close();
    expect(await end()).toBe(0);
  });
});
