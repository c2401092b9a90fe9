import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { serveHere, type Served } from "../../packages/cli/test/ran.ts";
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

describe.skipIf(opener === "")("countersign sandbox --open", () => {
  it("opens the page with the system's opener and the key that opens a session", async () => {
    const folder = temporaryFolder();
    const stub = join(folder, opener);
    const script = `printf '%s\\n' "$@" >> "$0.part"\nmv "$0.part" "$0.opened"\n`;
    writeFileSync(stub, `#!/bin/sh\n${script}`);
    chmodSync(stub, 0o755);
    const { stderr, end } = await startSandbox([folder, process.env["PATH"] ?? ""]);
    await expect.poll(() => existsSync(`${stub}.opened`)).toBe(true);

    const [address = "", ...more] = readFileSync(`${stub}.opened`, "utf8").trim().split("\n");
    expect(more).toEqual([]);
    expect(stderr()).toContain(`inspector ${address}`);
    const { origin, pathname, hash } = new URL(address);
    expect(await (await fetch(`${origin}${pathname}`)).text()).toContain('<div id="page">');
    const session = await fetch(`${origin}/inspector/session`, {
      method: "POST",
      headers: { "content-type": "application/json", "sec-fetch-site": "same-origin", origin },
      body: JSON.stringify({ key: /^#key=(.{22})$/.exec(hash)?.[1] }),
    });
    expect(session.status).toBe(200);
    expect(await end()).toBe(0);
  });

  it("prints that the system has no opener, and goes on", async () => {
    const { stderr, end } = await startSandbox([temporaryFolder()]);
    await expect.poll(stderr).toContain(`--open: no ${opener} here; open the address by hand`);
    expect(await end()).toBe(0);
  });
});
