import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { CheckRunner, CheckWatch } from "../src/inspector/check-runner.ts";
import type { InspectorOptions } from "../src/inspector/options.ts";
import { openSandbox, refusal, TOKEN, type TestSandbox } from "./open-sandbox.ts";
import { SOON } from "./soon.ts";

const target = { url: "http://127.0.0.1:9/webhooks", secret: "a-secret-of-24-characters-or-more" };
const path = "/sandbox/inspect/checks";

/** A runner whose runs end when the test says so. */
class HeldRunner implements CheckRunner {
  readonly watches: CheckWatch[] = [];
  readonly #ends: ((report: object | Error) => void)[] = [];

  owed(): Promise<readonly object[]> {
    return Promise.resolve([{ requirement: "R-ONE" }, { requirement: "R-TWO" }]);
  }

  run(watch: CheckWatch): Promise<object> {
    this.watches.push(watch);
    return new Promise((resolve, reject) => {
      this.#ends.push((report) => (report instanceof Error ? reject(report) : resolve(report)));
      watch.signal.addEventListener("abort", () => resolve({ exitCode: 2 }), { once: true });
    });
  }

  end(report: object | Error): void {
    this.#ends.at(-1)?.(report);
  }
}

async function open(options: Partial<InspectorOptions>): Promise<TestSandbox> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-checks-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "index.html"), "<!doctype html>");
  return openSandbox({ inspector: { folder, token: TOKEN, key: "key-of-this-run", ...options } });
}

const runOf = async (one: TestSandbox, query = "", token = TOKEN): Promise<unknown> =>
  (await one.call("GET", `${path}${query}`, { token })).body["run"];

describe("the checks of a receiver", () => {
  it("run one at a time, and tell how far they have come", async () => {
    const checks = new HeldRunner();
    const one = await open({ target, checks });
    const before = await one.call("GET", path);
    expect(before.body).toEqual({
      isAvailable: true,
      owed: [{ requirement: "R-ONE" }, { requirement: "R-TWO" }],
      run: null,
    });

    expect((await one.call("POST", path)).status).toBe(202);
    expect(refusal(await one.call("POST", path))).toMatchObject({
      status: 409,
      code: "CHECKS_RUNNING",
    });
    const [watch] = checks.watches;
    const progress = { check: "receiver/one", title: "One", place: 1, total: 2 };
    watch?.onCheck(progress);
    watch?.onEntry({ requirement: "R-ONE", status: "pass" });
    watch?.onEntry({ requirement: "R-TWO", status: "fail" });
    expect(await runOf(one, "?run=1&after=1")).toEqual({
      number: 1,
      isRunning: true,
      progress,
      known: 1,
      entries: [{ requirement: "R-TWO", status: "fail" }],
      report: null,
      problem: null,
    });

    checks.end({ exitCode: 1 });
    await expect
      .poll(() => runOf(one), SOON)
      .toMatchObject({ isRunning: false, known: 0, report: { exitCode: 1 } });
    expect((await one.call("POST", path)).status).toBe(202);
    // What is known of the first run is not known of the second.
    expect(await runOf(one, "?run=1&after=2")).toMatchObject({ number: 2, known: 0, entries: [] });
  });

  it("end when somebody stops them, and keep what they have found", async () => {
    const checks = new HeldRunner();
    const one = await open({ target, checks });
    await one.call("POST", path);
    checks.watches[0]?.onEntry({ requirement: "R-ONE", status: "pass" });
    expect((await one.call("POST", `${path}/stop`)).status).toBe(202);
    await expect
      .poll(() => runOf(one), SOON)
      .toMatchObject({ isRunning: false, report: { exitCode: 2 } });
    expect(await runOf(one)).toMatchObject({ entries: [{ requirement: "R-ONE" }] });
  });

  it("end when the sandbox does", async () => {
    const checks = new HeldRunner();
    const one = await open({ target, checks });
    await one.call("POST", path);
    await one.sandbox.close({ graceMs: 0 });
    expect(checks.watches[0]?.signal.aborted).toBe(true);
  });

  it("say why they broke", async () => {
    const checks = new HeldRunner();
    const one = await open({ target, checks });
    await one.call("POST", path);
    checks.end(new Error("127.0.0.1:9 cannot be reached"));
    await expect
      .poll(() => runOf(one), SOON)
      .toMatchObject({ isRunning: false, report: null, problem: "127.0.0.1:9 cannot be reached" });
  });

  it("B18 tell another namespace nothing, and do not run for two at once", async () => {
    const checks = new HeldRunner();
    const one = await open({ target, checks });
    const token = await one.addNamespace();
    await one.call("POST", path);
    checks.watches[0]?.onEntry({ requirement: "R-ONE", status: "fail" });
    expect(await runOf(one, "", token)).toBeNull();
    expect(refusal(await one.call("POST", path, { token }))).toMatchObject({
      status: 409,
      code: "CHECKS_RUNNING",
    });
    await one.call("POST", `${path}/stop`, { token });
    expect(await runOf(one)).toMatchObject({ isRunning: true });
  });

  it("C5 name no address: there is the one of the command line", async () => {
    const checks = new HeldRunner();
    const one = await open({ target, checks });
    const elsewhere = await one.call("POST", path, { json: { url: "http://169.254.169.254/" } });
    expect([elsewhere.status, checks.watches]).toEqual([400, []]);
  });

  it("are refused without an address, and without checks to run", async () => {
    const nowhere = await open({ checks: new HeldRunner() });
    expect(refusal(await nowhere.call("POST", path))).toMatchObject({
      status: 409,
      code: "NO_TARGET",
    });
    const nothing = await open({ target });
    expect(refusal(await nothing.call("POST", path))).toMatchObject({
      status: 409,
      code: "CHECKS_UNAVAILABLE",
    });
    expect((await nothing.call("GET", path)).body).toMatchObject({ isAvailable: false, owed: [] });
    const odd = await nothing.call("GET", `${path}?run=undefined&after=x`);
    expect(odd.status).toBe(400);
  });
});
