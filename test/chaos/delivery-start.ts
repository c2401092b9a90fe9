import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { deliveryThread } from "@countersign/service";
import { build } from "esbuild";
import type { DelivererOptions } from "./delivery-points.ts";

/** A delivering process that is under way. */
export interface Deliverer {
  /** Resolves when it delivers, or has ended before. */
  readonly ready: Promise<unknown>;
  /** Waits for its end, kills it when its time is over, and tells the signal. */
  ended(withinMs: number): Promise<string | null>;
}

/**
 * Makes one file of the sources of the delivering process, and one of its thread's: started from the sources
 * themselves, each process would spend seven times as much of the processor before it delivers.
 *
 * @param folder Where the files go, and what V8 has made of it.
 * @returns Starts a process.
 */
export async function deliverersOf(
  folder: string,
): Promise<(options: DelivererOptions) => Deliverer> {
  const script = join(folder, "deliverer.mjs");
  await build({
    entryPoints: {
      deliverer: fileURLToPath(new URL("delivery-process.ts", import.meta.url)),
      // Where `deliveryThread` of a file in that folder looks.
      "delivery-thread": fileURLToPath(deliveryThread),
    },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    conditions: ["@countersign/source"],
    // Asked for by name only where somebody wants it.
    external: ["pg-native"],
    // Modules of CommonJS ask for those of Node.js.
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
    // It ends when its input does: a campaign that is killed leaves no process behind.
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
