import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Starts what `npm start` runs once its tools are there. */
function demo(...args: string[]): { process: ChildProcess; printed: () => string } {
  const node = ["--disable-warning=ExperimentalWarning"];
  const child = spawn(process.execPath, [...node, "scripts/demo.ts", ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  return { process: child, printed: () => text };
}

const codeOf = async ({ process }: { process: ChildProcess }): Promise<unknown> =>
  (await once(process, "close"))[0];
const isUp = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

// Each starts three processes, which takes a busy machine its time.
describe("the demo", { tags: "ci", timeout: 120_000 }, () => {
  it("prints every step and the page's address if its port is taken, ends with 0 at Ctrl-C, and leaves no process behind", async () => {
    const other = createServer().listen(4010, "127.0.0.1");
    onTestFinished(() => void other.close());
    // If another process has the port, it is taken anyway.
    await Promise.race([once(other, "listening"), once(other, "error")]).catch(() => undefined);
    const run = demo();
    const ready = () => expect(run.printed()).toContain("Press Ctrl-C to stop.");
    await vi.waitFor(ready, { timeout: 100_000 });
    expect(run.printed()).toContain("port 4010 is in use");
    expect(run.printed()).toMatch(
      /answer +201 .*PENDING[\s\S]*merchant \| handler PAYMENT: refund\.pending[\s\S]*AUTHORIZED[\s\S]*merchant \| handler refund\.authorized: refund\.authorized[\s\S]*All 6 steps passed\./,
    );
    expect(run.printed()).toMatch(
      /^ +inspector +http:\/\/127\.0\.0\.1:\d+\/inspector\/#key=[\w-]{22}$/m,
    );
    const printed = run.printed().matchAll(/(?:sandbox|merchant) +(http:\S+)/g);
    const urls = [...printed].map(([, url]) => url ?? "");
    expect(await Promise.all(urls.map(isUp))).toEqual([true, true]);
    run.process.kill("SIGINT");
    expect(await codeOf(run)).toBe(0);
    expect(await Promise.all(urls.map(isUp))).toEqual([false, false]);
  });

  it("ends with 130 if it is interrupted, and leaves no process behind", async () => {
    const run = demo("--once");
    run.process.stdout?.on("data", () => {
      if (/merchant +http:\S+ /.test(run.printed())) run.process.kill("SIGINT");
    });
    expect(await codeOf(run)).toBe(130);
    const [, merchant = ""] = /merchant +(http:\S+)/.exec(run.printed()) ?? [];
    expect(run.printed()).not.toContain("All 6 steps passed.");
    expect(await isUp(merchant)).toBe(false);
  });
});
