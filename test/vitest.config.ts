import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// The packages are tested from their sources: no build is needed, and none can be stale.
export const conditions = ["@countersign/source", "node", "development|production"];
export const sources = { resolve: { conditions }, ssr: { resolve: { conditions } } };
export const root = fileURLToPath(new URL("..", import.meta.url));

// The quick lane: what `npm test` runs. Slow suites are `*.slow.ts` in test/vitest.slow.config.ts.
export default defineConfig({
  root,
  test: {
    // Many suites wait for processes and sockets: one worker a core keeps both busy.
    maxWorkers: "100%",
    coverage: {
      provider: "v8",
      include: ["packages/*/src/**", "schemas/src/**"],
      exclude: ["**/generated/**"],
      reportsDirectory: "test/output/coverage",
      reporter: ["text", "json-summary"],
    },
    projects: [
      {
        ...sources,
        test: {
          root,
          name: "unit",
          include: ["packages/*/test/**/*.spec.ts", "schemas/test/**/*.spec.ts"],
          testTimeout: 20_000,
        },
      },
      {
        ...sources,
        test: {
          root,
          name: "pacts",
          include: ["contracts/test/**/*.spec.ts"],
          // The native core reads the process's own environment, which a thread's is not.
          pool: "forks",
          env: { PACT_DO_NOT_TRACK: "true" },
          testTimeout: 20_000,
        },
      },
      {
        ...sources,
        test: {
          root,
          name: "whole",
          include: ["test/**/*.spec.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
