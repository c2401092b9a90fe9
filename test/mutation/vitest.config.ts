import { BaseSequencer, type TestSpecification } from "vitest/node";
import { defineConfig } from "vitest/config";
import { root, sources, tags } from "../vitest.config.ts";

/** Quick files first, by the last run's times: a run ends with the first test that notices, and slow files search at random. */
class QuickFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const timeOf = (file: TestSpecification): number =>
      this.ctx.cache.getTestSpecificationResult(file)?.duration ?? 0;
    return Promise.resolve(files.toSorted((one, other) => timeOf(one) - timeOf(other)));
  }
}

// Flat, because Stryker reads no projects: `stryker run test/mutation/PART.json` names the tests.
export default defineConfig({
  ...sources,
  root,
  test: {
    include: ["**/*.spec.ts"],
    tags,
    sequence: { sequencer: QuickFirst },
    // A mutant that never answers is noticed here: Stryker's own timeout costs a new process.
    testTimeout: 10_000,
    expect: { poll: { timeout: 10_000 } },
  },
});
