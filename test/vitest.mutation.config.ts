import { statSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { root, sources } from "./vitest.config.ts";

/** Small files first: a run ends with the first test that notices, and large files search at random. */
class SmallFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sizeOf = ({ moduleId }: TestSpecification): number => statSync(moduleId).size;
    return Promise.resolve(files.toSorted((one, other) => sizeOf(one) - sizeOf(other)));
  }
}

// Flat, because the mutation runner reads no projects. `pnpm mutate` names the tests.
export default defineConfig({
  ...sources,
  root,
  test: {
    include: process.env["COUNTERSIGN_MUTATION_TESTS"]?.split(" ") ?? [],
    sequence: { sequencer: SmallFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
