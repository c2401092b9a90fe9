import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { request } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What `npm start` runs, once the tools are there. */
function demo(...args: string[]): { process: ChildProcess; printed: () => string } {
  const child = spawn(
    process.execPath,
    [
      "--disable-warning=ExperimentalWarning",
      "--conditions=@countersign/source",
      "packages/dev/demo/main.ts",
      ...args,
    ],
    { cwd: root, stdio: ["ignore", "pipe", "pipe"] },
  );
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  return { process: child, printed: () => text };
}

const isUp = async (url: string): Promise<boolean> =>
  request(url).then(
    async ({ body }) => {
      await body.dump();
      return true;
    },
    () => false,
  );

// Each starts three processes, for which a busy machine takes its time.
describe("the demo", { timeout: 120_000 }, () => {
  it("with --once tells every step and the page's address, from the next free port where 4010 is taken, and ends with 0", async () => {
    // As `npm start` does before.
    await import("../../packages/dev/bin/build-inspector.ts");
    const other = createServer().listen(4010, "127.0.0.1");
    onTestFinished(() => void other.close());
    // Taken by somebody else is taken all the same.
    await Promise.race([once(other, "listening"), once(other, "error")]).catch(() => undefined);
    const run = demo("--once");
    const [code] = (await once(run.process, "close")) as [number | null];
    expect(run.printed()).toContain("port 4010 is taken");
    expect(run.printed()).toMatch(
      /answer +201 .*PENDING[\s\S]*merchant \| handler PAYMENT: refund\.pending[\s\S]*AUTHORIZED[\s\S]*merchant \| handler refund\.authorized: refund\.authorized[\s\S]*Every step happened\./,
    );
    expect(run.printed()).toMatch(
      /^ +inspector +http:\/\/127\.0\.0\.1:\d+\/inspector\/#key=[\w-]{22}$/m,
    );
    expect(code).toBe(0);
  });

  it("ends with 0 at Ctrl-C after the story, and leaves no process behind", async () => {
    const run = demo();
    await vi.waitFor(() => expect(run.printed()).toContain("Ctrl-C ends it."), {
      timeout: 100_000,
    });
    const urls = [...run.printed().matchAll(/(?:sandbox|merchant) +(http:\S+)/g)].map(
      ([, url]) => url ?? "",
    );
    expect(await Promise.all(urls.map(isUp))).toEqual([true, true]);

    run.process.kill("SIGINT");
    const [code] = (await once(run.process, "close")) as [number | null];

    expect(code).toBe(0);
    expect(await Promise.all(urls.map(isUp))).toEqual([false, false]);
  });

  it("that is cut short does not end with 0, and leaves no process behind", async () => {
    const run = demo("--once");
    // At once: what is cut short must not have ended.
    const interrupt = (): void => {
      if (/merchant +http:\S+ /.test(run.printed())) run.process.kill("SIGINT");
    };
    run.process.stdout?.on("data", interrupt);
    const [code] = (await once(run.process, "close")) as [number | null];

    const [, merchant = ""] = /merchant +(http:\S+)/.exec(run.printed()) ?? [];
    expect(code).toBe(130);
    expect(run.printed()).not.toContain("Every step happened.");
    expect(await isUp(merchant)).toBe(false);
  });
});
