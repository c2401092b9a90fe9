import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { deliveryThread } from "@countersign/service";
import { build } from "esbuild";
import type { DelivererOptions } from "./delivery-points.ts";

/** A running process that delivers. */
export interface Deliverer {
  /** Resolves when it delivers or has ended. */
  readonly ready: Promise<unknown>;
  /** Waits for its end, kills it after this time, and returns the signal. */
  ended(withinMs: number): Promise<string | null>;
}

/**
 * Bundles the delivering process and its thread: started from sources, a process needs seven times the CPU time
 * before it delivers.
 *
 * @param folder For the bundles and their compile cache.
 * @returns Starts a process.
 */
export async function deliverersOf(
  folder: string,
): Promise<(options: DelivererOptions) => Deliverer> {
  const script = join(folder, "deliverer.mjs");
  await build({
    entryPoints: {
      deliverer: fileURLToPath(new URL("delivery-process.ts", import.meta.url)),
      // `deliveryThread` looks for this name in the folder of its file.
      "delivery-thread": fileURLToPath(deliveryThread),
    },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    conditions: ["@countersign/source"],
    // Loaded only on request.
    external: ["pg-native"],
    // CommonJS modules require Node.js modules.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
  const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, "compiled") };
  return (options) => start([script, JSON.stringify(options)], env);
}

function start(args: readonly string[], env: NodeJS.ProcessEnv): Deliverer {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], {
    // It ends with its input: a killed campaign leaves no process behind.
    stdio: ["pipe", "pipe", "inherit"],
    env,
  });
  const exit = once(child, "exit");
  return {
    ready: Promise.race([once(child.stdout, "data"), exit]),
    async ended(withinMs) {
      const timer = new AbortController();
      const patience = setTimeout(withinMs, undefined, { signal: timer.signal }).catch(() => {});
      await Promise.race([exit, patience]);
      timer.abort();
      child.kill("SIGKILL");
      await exit;
      return child.signalCode;
    },
  };
}
