import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { MerchantOptions } from "./crash-points.ts";

let made: Promise<string> | undefined;

/** Bundles the program: started from sources, a process needs seven times the CPU time until it is ready. */
async function bundle(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-programs-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  await build({
    entryPoints: [fileURLToPath(new URL("merchant.ts", import.meta.url))],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    // Loaded only on request.
    external: ["pg-native"],
    // CommonJS modules require Node.js modules.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
  return folder;
}

/** Starts `merchant.ts` with these options. It ends with its input: a killed campaign leaves no process behind. */
export async function startBundled(options: MerchantOptions) {
  const folder = await (made ??= bundle());
  const flags = ["--disable-warning=ExperimentalWarning", join(folder, "merchant.mjs")];
  const child = spawn(process.execPath, [...flags, JSON.stringify(options)], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, NODE_COMPILE_CACHE: join(folder, "compiled") },
  });
  const exit = once(child, "exit");
  const output = once(child.stdout, "data").then(([data]) => String(data));
  return {
    /** The first output; undefined if the process ends before. */
    ready: Promise.race([output, exit.then(() => undefined)]),
    kill: () => void child.kill("SIGKILL"),
    /** Waits for its end, kills it after this time, and returns the signal. */
    async ended(withinMs: number): Promise<string | null> {
      const timer = setTimeout(() => child.kill("SIGKILL"), withinMs);
      await exit;
      clearTimeout(timer);
      return child.signalCode;
    },
  };
}
