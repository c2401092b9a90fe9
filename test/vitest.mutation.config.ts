import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { root, sources } from "./vitest.config.ts";

/** Quick files first, by the last run's times: a run ends with the first test that notices, and slow files search at random. */
class QuickFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const timeOf = (file: TestSpecification): number =>
      this.ctx.cache.getTestSpecificationResult(file)?.duration ?? 0;
    return Promise.resolve(files.toSorted((one, other) => timeOf(one) - timeOf(other)));
  }
}

// Flat, because the mutation runner reads no projects. `npm run mutate` names the tests.
export default defineConfig({
  ...sources,
  root,
  test: {
    include: process.env["COUNTERSIGN_MUTATION_TESTS"]?.split(" ") ?? [],
    sequence: { sequencer: QuickFirst },
    isolate: process.env["COUNTERSIGN_MUTATION_ISOLATE"] === "true",
    // A mutant that never answers is noticed here: the runner's own timeout costs a new process.
    testTimeout: 10_000,
    expect: { poll: { timeout: 10_000 } },
  },
});
