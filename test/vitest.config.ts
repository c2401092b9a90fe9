import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// The packages are tested from their sources: no build is needed, and none can be stale.
export const conditions = ["@countersign/source", "node", "development|production"];
export const sources = { resolve: { conditions }, ssr: { resolve: { conditions } } };
export const root = fileURLToPath(new URL("..", import.meta.url));

// Processes that tests start read the sources' types away once, not at each start. A cache that is
// there already, also one of nothing (`NODE_DISABLE_COMPILE_CACHE=1`), stays as it is.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(
  new URL("../node_modules/.cache/countersign/node", import.meta.url),
);

/** Suites that put something of their own in a module's place, before anybody else has loaded it. */
const replacing = [
  "packages/signatures/test/limits.spec.ts",
  "packages/receiver/test/security/signature.spec.ts",
];

// The quick lane: what `npm test` runs. Slow suites are `*.slow.ts` in test/vitest.slow.config.ts.
export default defineConfig({
  root,
  test: {
    // Many suites wait for processes and sockets: one worker more than cores keeps those busy.
    maxWorkers: availableParallelism() + 1,
    globalSetup: "test/run-folder.ts",
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
          exclude: replacing,
          // One process for many files: starting one for each takes a fifth of the time.
          isolate: false,
          testTimeout: 20_000,
        },
      },
      { ...sources, test: { root, name: "replacing", include: replacing, testTimeout: 20_000 } },
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
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
