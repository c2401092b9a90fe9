import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { childEnvironment } from "../../src/pact/run-child.ts";
import { verifyPacts } from "../../src/pact/verify-pacts.ts";
import { writePact } from "./write-pact.ts";

const hasStrace = spawnSync("strace", ["-V"]).status === 0;

/** Addresses that the core connects to, as the kernel sees it: a run of one interaction. */
async function addressesOf(env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-connects-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const server = createServer(
    (request, response) => void request.resume().on("end", () => response.end("{}")),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const trace = join(folder, "trace");
  const script = fileURLToPath(new URL("../../src/pact/child.ts", import.meta.url));
  const tracing = ["-f", "-qq", "-e", "trace=connect,sendto", "-o", trace];
  const child = spawn("strace", [...tracing, process.execPath, script], {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  child.send({
    pact: createRequire(import.meta.url).resolve("@pact-foundation/pact"),
    options: {
      provider: "bank",
      providerBaseUrl: url,
      providerStatesSetupUrl: url,
      pactUrls: [writePact([{ description: "a call" }])],
      timeout: 1000,
      logLevel: "error",
    },
  });
  await once(child, "exit");
  const lines = readFileSync(trace, "utf8").matchAll(/inet_(?:addr\(|pton\(AF_INET6, )"([^"]+)"/g);
  return [...new Set([...lines].map(([, address]) => address ?? ""))];
}

// An attempt to reach a stranger goes to an address that can be told, whatever this machine's resolver is.
const proxy = { HTTP_PROXY: "http://127.0.0.2:9", HTTPS_PROXY: "http://127.0.0.2:9" };
const aside = { ...proxy, NO_PROXY: "127.0.0.1" };

// Only the kernel sees every attempt of native code; strace is Linux's.
describe.skipIf(!hasStrace)("Pact's native core", () => {
  it("connects to this machine alone in the kit's environment", async () => {
    expect(await addressesOf(childEnvironment(aside))).toEqual(["127.0.0.1"]);
  });

  it("would connect elsewhere without it", async () => {
    expect(await addressesOf(aside)).toContain("127.0.0.2");
  });
});

describe("a verification", () => {
  it("is not led astray by the proxies and filters of the caller's environment", async () => {
    const names = ["HTTP_PROXY", "http_proxy", "PACT_DESCRIPTION", "PACT_BROKER_BASE_URL"];
    for (const name of names) process.env[name] = "http://127.0.0.1:1";
    onTestFinished(() => {
      for (const name of names) Reflect.deleteProperty(process.env, name);
    });
    const provider = {
      name: "bank",
      send: () => Promise.resolve({ status: 200, headers: {}, body: new Uint8Array() }),
      states: { ready: () => Promise.resolve({}) },
    };
    const pacts = [writePact([{ description: "a call" }])];
    const { isOk, rows } = await verifyPacts({ provider, pacts });
    expect({ isOk, rows: rows.length }).toEqual({ isOk: true, rows: 1 });
  });
});
