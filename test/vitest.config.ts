import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// The packages are tested from their sources: no build is needed, and none can be stale.
export const conditions = ["node", "development|production"];
export const sources = { resolve: { conditions }, ssr: { resolve: { conditions } } };
export const root = fileURLToPath(new URL("..", import.meta.url));
export const tags = [
  {
    name: "ci",
    description:
      "repeats a fact with more stores, processes, browsers or kills: run by CI for each push",
  },
];

/**
 * Starts the tests that span packages first: they start processes and take longest. The others follow by the times of the
 * last run, or by their sizes in a new checkout.
 */
class SpanningFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const spans = ({ moduleId }: TestSpecification): number =>
      Number(moduleId.startsWith(`${root}test/`));
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer sorts, not a list
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => spans(other) - spans(one));
  }
}

// `npm test` leaves out the tests with the tag "ci". Long forms are `*.slow.ts` in test/vitest.slow.config.ts.
export default defineConfig({
  ...sources,
  root,
  test: {
    include: ["{packages/*,schemas,contracts}/test/**/*.spec.ts", "test/**/*.spec.ts"],
    tags,
    // Many suites wait for processes and sockets: two workers more than cores keep those busy.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: SpanningFirst },
    globalSetup: "test/run-folder.ts",
    setupFiles: "test/worker.ts",
    // One process for many files: starting one for each takes a fifth of the time.
    isolate: false,
    // Pact's native core reads the process's own environment, which a thread's is not.
    pool: "forks",
    env: { PACT_DO_NOT_TRACK: "true" },
    // A loaded machine takes longer: no test is judged by the clock.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    reporters: ["default", "./test/slowest-files.ts"],
    coverage: {
      provider: "v8",
      include: ["packages/*/src/**", "schemas/src/**"],
      exclude: ["**/generated/**"],
      reportsDirectory: "test/output/coverage",
      reporter: ["text", "json-summary"],
    },
  },
});
