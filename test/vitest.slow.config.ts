import { defineConfig } from "vitest/config";
import { root, sources } from "./vitest.config.ts";

// The long lane: the long forms of properties, chaos and fuzz. Run by `npm run test:long`, never by `npm test` or CI,
// which have a short form of each.
export default defineConfig({
  ...sources,
  root,
  test: {
    include: ["{packages/*,schemas,contracts}/test/**/*.slow.ts", "test/**/*.slow.ts"],
    setupFiles: "test/seed-properties.ts",
    pool: "forks",
    env: { PACT_DO_NOT_TRACK: "true", RECHECK_BACKEND: "pure" },
    testTimeout: 3_600_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    fileParallelism: false,
  },
});
