import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createServer, type AddressInfo, type Server } from "node:net";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifyPacts } from "../../src/pact/verify-pacts.ts";
import { writePact } from "./write-pact.ts";

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/**
 * A proxy that every connection which is not to this machine would go through: the first lines of what
 * it was asked, and no answer.
 */
async function recordingProxy(): Promise<{ env: Record<string, string>; asked: string[] }> {
  const asked: string[] = [];
  const url = await listen(
    createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", (data) => {
        asked.push(data.toString().split("\r\n")[0] ?? "");
        socket.destroy();
      });
    }),
  );
  return { env: { HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: "127.0.0.1" }, asked };
}

const provider = {
  name: "bank",
  send: () => Promise.resolve({ status: 200, headers: {}, body: new Uint8Array() }),
  states: { ready: () => Promise.resolve({}) },
};

describe("Pact's native core", () => {
  it("connects to nothing but this machine", async () => {
    const { env, asked } = await recordingProxy();
    const pacts = [writePact([{ description: "a call" }])];
    expect(await verifyPacts({ provider, pacts, env })).toMatchObject({ isOk: true });
    expect(asked).toEqual([]);
  });

  it("would tell a stranger of the run without the variable that the kit sets", async () => {
    const { env, asked } = await recordingProxy();
    const path = fileURLToPath(new URL("../../src/pact/child.ts", import.meta.url));
    const child = spawn(process.execPath, [path], {
      env,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    child.send({
      pact: createRequire(import.meta.url).resolve("@pact-foundation/pact"),
      options: {
        provider: "bank",
        providerBaseUrl: "http://127.0.0.1:1",
        pactUrls: [writePact([{ description: "a call" }])],
        timeout: 1000,
        logLevel: "none",
      },
    });
    await once(child, "exit");
    expect(asked.join()).toContain("google-analytics.com");
  });
});

describe("a verification", () => {
  it("is not led astray by the proxies and filters of the caller's environment", async () => {
    const names = ["HTTP_PROXY", "http_proxy", "PACT_DESCRIPTION", "PACT_BROKER_BASE_URL"];
    for (const name of names) process.env[name] = "http://127.0.0.1:1";
    onTestFinished(() => {
      for (const name of names) Reflect.deleteProperty(process.env, name);
    });
    const pacts = [writePact([{ description: "a call" }])];
    const { isOk, rows } = await verifyPacts({ provider, pacts });
    expect({ isOk, rows: rows.length }).toEqual({ isOk: true, rows: 1 });
  });
});
