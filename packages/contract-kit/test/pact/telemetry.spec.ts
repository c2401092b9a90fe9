import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { CORE_ENVIRONMENT } from "../../src/pact/run-child.ts";
import { serve, writePact } from "./write-pact.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

const hasStrace = spawnSync("strace", ["-V"]).status === 0;

/** Addresses that the core connects to in a run of one interaction, as the kernel sees it. */
async function addressesOf(env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const folder = temporaryFolder();
  const { url } = await serve((_request, response) => response.end("{}"));
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
      timeout: 30_000,
      logLevel: "error",
    },
  });
  await once(child, "exit");
  const lines = readFileSync(trace, "utf8").matchAll(/inet_(?:addr\(|pton\(AF_INET6, )"([^"]+)"/g);
  return [...new Set([...lines].map(([, address]) => address ?? ""))];
}

// Only the kernel sees every attempt of native code; strace is Linux's.
it.skipIf(!hasStrace)(
  "Pact's native core connects only to this machine in the kit's environment, and elsewhere without it",
  { tags: "ci" },
  async () => {
    // An attempt to reach a stranger goes to a known address, whatever this machine's resolver is.
    const proxy = { HTTP_PROXY: "http://127.0.0.2:9", HTTPS_PROXY: "http://127.0.0.2:9" };
    const aside = { ...proxy, NO_PROXY: "127.0.0.1" };
    const [kept, open] = await Promise.all([
      addressesOf({ ...aside, ...CORE_ENVIRONMENT }),
      addressesOf(aside),
    ]);
    expect(kept).toEqual(["127.0.0.1"]);
    expect(open).toContain("127.0.0.2");
  },
);
