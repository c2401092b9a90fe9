import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { run } from "../../packages/cli/src/run.ts";

/** What `countersign sandbox --open` calls on each system that a shell script can stand in for. */
const openers: Readonly<Record<string, string>> = { linux: "xdg-open", darwin: "open" };
const opener = openers[process.platform];

/** The command in this process, up as long as the test. */
function startSandbox(folder: string): { readonly said: () => string; end: () => Promise<number> } {
  const lines: string[] = [];
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const words = ["sandbox", "--open", "--port", "0", "--database", join(folder, "sandbox.db")];
  const status = run(words, {
    terminal: { out: (line) => void lines.push(line), err: (line) => void lines.push(line) },
    env: {},
    asked: () => asked,
    interruption: () => new AbortController().signal,
    askSecret: () => Promise.resolve(undefined),
    version: "1.2.3",
  });
  const end = (): Promise<number> => {
    ask();
    return status;
  };
  onTestFinished(async () => void (await end()));
  return { said: () => lines.join("\n"), end };
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "countersign-open-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe.skipIf(opener === undefined)("countersign sandbox --open", () => {
  it("has the system's opener open the page, which is there, with the key that opens it", async () => {
    // Builds the page where it is not built from these sources.
    await import("../../packages/dev/bin/build-inspector.ts");
    const folder = temporaryFolder();
    const stub = join(folder, opener ?? "");
    writeFileSync(
      stub,
      `#!/bin/sh\nprintf '%s\\n' "$@" >> "$0.opened.part"\nmv "$0.opened.part" "$0.opened"\n`,
    );
    chmodSync(stub, 0o755);
    vi.stubEnv("PATH", [folder, process.env["PATH"]].join(delimiter));
    onTestFinished(() => void vi.unstubAllEnvs());
    const { said, end } = startSandbox(folder);
    await expect.poll(() => existsSync(`${stub}.opened`), { timeout: 50_000 }).toBe(true);

    const [address = "", ...more] = readFileSync(`${stub}.opened`, "utf8").trim().split("\n");
    expect(more).toEqual([]);
    expect(said()).toContain(`inspector ${address}`);
    const { origin, pathname, hash } = new URL(address);
    const page = await fetch(`${origin}${pathname}`);
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.stringContaining('<div id="page">'),
    ]);
    const session = await fetch(`${origin}/inspector/session`, {
      method: "POST",
      headers: { "content-type": "application/json", "sec-fetch-site": "same-origin", origin },
      body: JSON.stringify({ key: /^#key=(.{22})$/.exec(hash)?.[1] }),
    });
    expect(session.status).toBe(200);
    expect(await end()).toBe(0);
  });

  it("says so where nothing here opens addresses", async () => {
    await import("../../packages/dev/bin/build-inspector.ts");
    const folder = temporaryFolder();
    vi.stubEnv("PATH", folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { said, end } = startSandbox(folder);
    await expect
      .poll(said, { timeout: 50_000 })
      .toContain(`--open: no ${opener ?? ""} here; open the address by hand`);
    expect(await end()).toBe(0);
  });
});
