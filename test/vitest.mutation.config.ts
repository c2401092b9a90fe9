import { defineConfig } from "vitest/config";
import { root, sources } from "./vitest.config.ts";

// Flat, because the mutation runner reads no projects. `pnpm mutate` names the tests.
export default defineConfig({
  ...sources,
  root,
  test: {
    include: process.env["COUNTERSIGN_MUTATION_TESTS"]?.split(" ") ?? [],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
