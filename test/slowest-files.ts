import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import { root } from "./vitest.config.ts";

const SHOWN = 10;

/** Prints the slowest files of a run with their wall and CPU time. */
export default class SlowestFiles implements Reporter {
  onTestRunEnd(files: readonly TestModule[]): void {
    // A run of a few files shows each file's time anyway.
    if (files.length <= SHOWN) return;
    const rows = files
      .map((file) => {
        const { collectDuration, setupDuration, duration } = file.diagnostic();
        return { file, wallMs: collectDuration + setupDuration + duration };
      })
      .toSorted((one, other) => other.wallMs - one.wallMs)
      .slice(0, SHOWN)
      .map(({ file, wallMs: wall }) => {
        const cpu = file.meta().cpuMs;
        return `${seconds(wall)}  ${cpu === undefined ? "      -" : seconds(cpu)}  ${relative(root, file.moduleId)}`;
      });
    console.log(`\nThe ${String(SHOWN)} slowest files\n   wall      CPU\n${rows.join("\n")}\n`);
  }
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1).padStart(5)} s`;
