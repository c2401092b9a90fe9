import { describe, expect, it } from "vitest";
import type { CheckRunner, CheckWatch } from "../../src/sandbox/inspector/checks.ts";
import type { InspectorOptions } from "../../src/sandbox/inspector/page.ts";
import { openSandbox, refusal, SECRET, TOKEN, type TestSandbox } from "./open-sandbox.ts";

const target = { url: "http://127.0.0.1:9/webhooks", secret: SECRET };
const path = "/sandbox/inspect/checks";

const planned = [{ requirement: "R-ONE" }, { requirement: "R-TWO" }];

/** A runner whose runs end when the test says so. */
function heldRunner() {
  const watches: CheckWatch[] = [];
  let held = Promise.withResolvers<object>();
  const run = (watch: CheckWatch): Promise<object> => {
    const { promise, resolve } = (held = Promise.withResolvers<object>());
    watches.push(watch);
    watch.signal.addEventListener("abort", () => resolve({ exitCode: 2 }), { once: true });
    return promise;
  };
  const checks: CheckRunner = { planned: () => Promise.resolve(planned), run };
  const end = (report: object): void => held.resolve(report);
  const fail = (error: Error): void => held.reject(error);
  return { checks, watches, end, fail };
}

/** Without the page's files: its calls are served where the page is not built. */
const open = (options: Partial<InspectorOptions>): Promise<TestSandbox> =>
  openSandbox({ inspector: { token: TOKEN, key: "key-of-this-run", ...options } });

const runOf = async (one: TestSandbox, token = TOKEN): Promise<unknown> =>
  (await one.call("GET", path, { token })).body["run"];
const ended = async (one: TestSandbox): Promise<unknown> => {
  await expect.poll(() => runOf(one)).toMatchObject({ isRunning: false });
  return runOf(one);
};

describe("the checks of a receiver", () => {
  it("run one at a time and show their progress", async () => {
    const { watches, ...runner } = heldRunner();
    const one = await open({ target, checks: runner.checks });
    const before = await one.call("GET", path);
    expect(before.body).toEqual({ planned, run: null });

    expect((await one.post(path)).status).toBe(202);
    expect(refusal(await one.post(path))).toBe("409 CHECKS_RUNNING");
    const [watch] = watches;
    const progress = { check: "receiver/one", title: "One", place: 1, total: 2 };
    watch?.onCheck(progress);
    watch?.onEntry({ requirement: "R-ONE", status: "pass" });
    watch?.onEntry({ requirement: "R-TWO", status: "fail" });
    expect(await runOf(one)).toEqual({
      number: 1,
      isRunning: true,
      progress,
      entries: [
        { requirement: "R-ONE", status: "pass" },
        { requirement: "R-TWO", status: "fail" },
      ],
      report: null,
      problem: null,
    });

    runner.end({ exitCode: 1 });
    expect(await ended(one)).toMatchObject({ report: { exitCode: 1 } });
    expect((await one.post(path)).status).toBe(202);
    expect(await runOf(one)).toMatchObject({ number: 2, entries: [] });
  });

  it("keep their findings when stopped, report why they broke, and end with the sandbox", async () => {
    const { watches, ...runner } = heldRunner();
    const one = await open({ target, checks: runner.checks });
    await one.post(path);
    watches[0]?.onEntry({ requirement: "R-ONE", status: "pass" });
    expect((await one.post(`${path}/stop`)).status).toBe(202);
    expect(await ended(one)).toMatchObject({
      report: { exitCode: 2 },
      entries: [{ requirement: "R-ONE" }],
    });
    await one.post(path);
    runner.fail(new Error("127.0.0.1:9 cannot be reached"));
    const problem = "127.0.0.1:9 cannot be reached";
    expect(await ended(one)).toMatchObject({ report: null, problem });
    await one.post(path);
    await one.sandbox.close({ graceMs: 0 });
    expect(watches[2]?.signal.aborted).toBe(true);
  });

  it("B18 are hidden from another namespace, which can neither start nor stop them", async () => {
    const { watches, ...runner } = heldRunner();
    const one = await open({ target, checks: runner.checks });
    const token = await one.addNamespace();
    await one.post(path);
    watches[0]?.onEntry({ requirement: "R-ONE", status: "fail" });
    expect(await runOf(one, token)).toBeNull();
    expect(refusal(await one.post(path, undefined, token))).toBe("409 CHECKS_RUNNING");
    await one.post(`${path}/stop`, undefined, token);
    expect(await runOf(one)).toMatchObject({ isRunning: true });
  });

  it("C5 reject a target other than that of the command line, and need one", async () => {
    const { watches, ...runner } = heldRunner();
    const one = await open({ target, checks: runner.checks });
    for (const asked of [{ url: "http://169.254.169.254/" }, { target: { url: target.url } }])
      expect((await one.post(path, asked)).status).toBe(400);
    expect(watches).toEqual([]);
    const nowhere = await open({ checks: runner.checks });
    expect(refusal(await nowhere.post(path))).toBe("409 NO_TARGET");
    const nothing = await open({ target });
    expect(refusal(await nothing.post(path))).toBe("409 NO_TARGET");
    expect((await nothing.call("GET", path)).body).toEqual({ planned: [], run: null });
  });
});
