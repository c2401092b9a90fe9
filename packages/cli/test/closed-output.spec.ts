import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { start, temporaryFolder } from "./start-command.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const node = `"${process.execPath}" --disable-warning=ExperimentalWarning --conditions=@countersign/source`;

describe("a command whose output nobody reads any more", () => {
  it("ends without a word, as SIGPIPE ends others", () => {
    // `true` has ended long before the first line.
    const script = `${node} "${main}" requirements | true; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
    expect([stdout.trim(), stderr]).toEqual(["141", ""]);
  });

  it("goes on where it serves", async () => {
    const one = start(["sandbox", "--port", "0"], { folder: temporaryFolder() });
    one.process.stdout?.destroy();
    // What it prints for people is before the line that nobody reads.
    const address = (): string => /http:\/\/127\.0\.0\.1:\d+/.exec(one.stderr())?.[0] ?? "";
    await expect.poll(address, { timeout: 30_000 }).not.toBe("");
    expect((await fetch(`${address()}/healthz`)).status).toBe(200);
    expect(await one.end()).toBe(0);
    expect(one.stderr()).not.toContain("EPIPE");
  });
});
