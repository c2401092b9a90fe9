import { defineConfig } from "vitest/config";
import { root, sources } from "./vitest.config.ts";

// Benchmarks, as ratios against a floor and a peer in one run: `pnpm bench signatures`.
export default defineConfig({
  ...sources,
  root,
  test: {
    include: ["packages/*/test/**/*.bench.ts", "test/bench/**/*.bench.ts"],
    benchmark: { include: ["packages/*/test/**/*.bench.ts", "test/bench/**/*.bench.ts"] },
    testTimeout: 600_000,
    fileParallelism: false,
  },
});
