import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startSandbox } from "@countersign/sandbox";
import { profiles } from "@countersign/schemas/profiles";
import { sqliteDriver } from "@countersign/service";
import { describe, expect, it, onTestFinished } from "vitest";
import { listen } from "../../sandbox/test/listen.ts";
import { vaultOf } from "../src/encryption-keys.ts";
import { knownLocale, SECRET, SOON, TOKEN } from "./fixtures.ts";
import { start, temporaryFolder } from "./start-command.ts";

const source = (name: string): string => fileURLToPath(new URL(`../src/${name}`, import.meta.url));
const node = ["--disable-warning=ExperimentalWarning", "--conditions=@countersign/source"];
const env = { COUNTERSIGN_SECRET: SECRET };

describe("the installed program", () => {
  it("fails with CS_CLI_NODE_TOO_OLD on a Node.js without node:sqlite, else runs the command", () => {
    const version = (...flags: readonly string[]) =>
      spawnSync(process.execPath, [...node, ...flags, source("bin.ts"), "--version"], {
        encoding: "utf8",
      });
    expect(version()).toMatchObject({ status: 0, stderr: "" });
    expect(version().stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const old = version("--no-experimental-sqlite");
    expect([old.status, old.stdout]).toEqual([2, ""]);
    expect(old.stderr).toMatch(/^countersign: CS_CLI_NODE_TOO_OLD: this is Node\.js \d+\.\d+\.\d+/);
  });

  it("exits like SIGPIPE, without a message, when its output is closed", () => {
    // `true` has ended long before the first line.
    const command = `"${process.execPath}" ${node.join(" ")} "${source("main.ts")}" requirements`;
    const script = `${command} | true; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", script], {
      encoding: "utf8",
      env: knownLocale,
    });
    expect([stdout.trim(), stderr]).toEqual(["141", ""]);
  });
});

describe("SIGINT", () => {
  it("ends a command that does not serve at once", async () => {
    const asked = Promise.withResolvers<void>();
    const url = await listen(() => asked.resolve());
    const command = start(["send", "refund.failed", "--url", url], {
      folder: temporaryFolder(),
      env,
    });
    await asked.promise;
    expect(await command.end("SIGINT")).toBeNull();
    expect(command.process.signalCode).toBe("SIGINT");
  });

  it("ends a verification at once with status 2 and a partial report", async () => {
    // No attempt is answered: without the signal the run would take minutes.
    const asked = Promise.withResolvers<void>();
    const url = await listen(() => asked.resolve());
    const folder = temporaryFolder();
    const file = join(folder, "report.json");
    const args = ["verify", "receiver", "--url", url, "--report", `json=${file}`];
    const running = start(args, { folder, env });
    await asked.promise;
    expect(await running.end("SIGINT")).toBe(2);
    expect(running.stderr()).toContain("CS_CLI_UNVERIFIED");
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
      exitCode: 2,
      problems: [expect.stringContaining("interrupted")],
      entries: expect.arrayContaining([expect.objectContaining({ status: "skipped" })]) as unknown,
    });
  });
});

describe("a sandbox process", () => {
  it("serves without a reader of stdout, and after SIGKILL its delivery is retried once the lease ends", async () => {
    const ids: string[] = [];
    const unanswered: ServerResponse[] = [];
    const receiver = await listen((request, response) => {
      request.resume().on("end", () => {
        ids.push(String(request.headers["webhook-id"]));
        if (ids.length === 1) unanswered.push(response);
        else response.writeHead(204).end();
      });
    });
    const folder = temporaryFolder();
    const file = join(folder, "sandbox.db");
    const args = ["sandbox", "--port", "0", "--database", file, "--deliver-to", `${receiver}/`];
    const one = start(args, { folder, env: { COUNTERSIGN_TOKEN: TOKEN } });
    one.process.stdout?.destroy();
    // The calls to try are printed before the line that nobody reads.
    const address = (): string => /http:\S+(?=\/sandbox)/.exec(one.stderr())?.[0] ?? "";
    await expect.poll(address, SOON).not.toBe("");
    const headers = { authorization: `Bearer ${TOKEN}` };
    const emit = new URL("/sandbox/customers", address());
    expect((await fetch(emit, { method: "POST", headers })).status).toBe(201);
    await expect.poll(() => unanswered.length, SOON).toBe(1);
    expect(one.stderr()).not.toContain("EPIPE");
    await one.end("SIGKILL");

    let ahead = 0;
    const next = await startSandbox({
      driver: sqliteDriver(file),
      vault: vaultOf(readFileSync(`${file}.keys`, "utf8")),
      profile: profiles.standard,
      port: 0,
      clock: { now: () => Date.now() + ahead },
    });
    onTestFinished(() => next.close({ graceMs: 0 }));
    const deliveries = async (): Promise<unknown> =>
      (await fetch(new URL("/sandbox/deliveries", next.url), { headers })).json();
    expect(await deliveries()).toMatchObject({ deliveries: [{ state: "waiting", attempts: [] }] });
    expect(ids).toHaveLength(1);
    ahead = 60_000;
    await expect
      .poll(deliveries, SOON)
      .toMatchObject({ deliveries: [{ state: "delivered", attempts: [{ number: 2 }] }] });
    expect(ids).toEqual([ids[0], ids[0]]);
  });
});
