import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createReceiver } from "@countersign/receiver";
import { toNode } from "@countersign/receiver/node";
import { openNamespace, startSandbox } from "@countersign/sandbox";
import { profiles } from "@countersign/schemas/profiles";
import { sqliteDriver } from "@countersign/service";
import { describe, expect, it, onTestFinished } from "vitest";
import { ran } from "./ran.ts";
import { temporaryFolder } from "./start-command.ts";

const TOKEN = "token-of-the-first-namespace";
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

async function sandbox(): Promise<string> {
  const profile = profiles.standard;
  const driver = sqliteDriver(join(temporaryFolder(), "sandbox.db"));
  const started = await startSandbox({ driver, profile, port: 0 });
  onTestFinished(() => started.close({ graceMs: 0 }));
  await openNamespace({ driver, profile, seed: 1, token: TOKEN });
  return started.url;
}

async function receiver(secret: string): Promise<string> {
  const made = createReceiver({ secrets: [secret], fallback: () => {} });
  const server = createServer((request, response) => void toNode(made)(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
}

const verify = (url: string, more: readonly string[], env: Readonly<Record<string, string>>) =>
  ran(["verify", "pacts", "--provider-url", url, ...more], env);

describe("countersign verify pacts", () => {
  it("verifies a service, writes reports and names what it left out", async () => {
    const folder = temporaryFolder();
    const files = `junit=${join(folder, "a.xml")},json=${join(folder, "a.json")},markdown=${join(folder, "a.md")}`;
    const { status, out } = await verify(
      await sandbox(),
      [
        "--report",
        files,
        "--only",
        "P-REFUND-SUM",
        "P-UNSUBSCRIBE-ID",
        "--skip",
        "P-UNSUBSCRIBE-ID=later",
      ],
      { COUNTERSIGN_TOKEN: TOKEN },
    );
    expect(out).toMatch(/^pass {3}P-REFUND-SUM +a refund of more than the payment$/m);
    expect(out).toMatch(/^skip {3}P-UNSUBSCRIBE-ID/m);
    expect(status).toBe(0);
    expect(readFileSync(join(folder, "a.xml"), "utf8")).toContain("[P-REFUND-SUM]");
    expect(readFileSync(join(folder, "a.json"), "utf8")).toContain('"exitCode": 0');
    expect(readFileSync(join(folder, "a.md"), "utf8")).toContain("1 skipped");
  });

  it("verifies a receiver at its own path, and ends with 1 where it does not keep its word", async () => {
    const more = ["--provider", "merchant-receiver", "--only", "R-ONCE-DUPLICATE", "--json"];
    const env = { COUNTERSIGN_SECRET: SECRET };
    expect(await verify(await receiver(SECRET), more, env)).toMatchObject({ status: 0 });
    const other = await verify(await receiver("whsec_AAAAr8GKYqrTwjUPD8ILPZIo2LaLaSwA"), more, env);
    expect(other.status).toBe(1);
    expect(other.out).toContain("the first attempt was answered 401");
    expect(other.out).not.toContain(SECRET);
  });

  it("lists the interactions and verifies nothing", async () => {
    const { status, out } = await verify("http://127.0.0.1:1", ["--list"], {});
    expect(status).toBe(0);
    expect(out.split("\n").length).toBeGreaterThan(100);
  });

  it.each([
    ["nobody is there", "CS_CLI_UNVERIFIED", [], { COUNTERSIGN_TOKEN: TOKEN }],
    ["the token is missing", "CS_CLI_ENVIRONMENT_UNUSABLE", [], {}],
    ["there is no such provider", "CS_CLI_ARGUMENT_UNUSABLE", ["--provider", "bank"], {}],
    ["the pacts cannot be read", "CS_CLI_ARGUMENT_UNUSABLE", ["--pacts", "/nowhere"], {}],
    ["it would publish nowhere", "CS_CLI_ARGUMENT_UNUSABLE", ["--publish"], {}],
  ] as const)("ends with 2 where %s", async (_what, code, more, env) => {
    const { status, err } = await verify("http://127.0.0.1:1", more, env);
    expect(status).toBe(2);
    expect(err).toContain(code);
  });
});
