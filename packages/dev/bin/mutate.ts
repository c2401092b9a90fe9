// Mutates one part of the sources with Stryker, in place, and writes docs/evidence/mutation-PART.json.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";
import { runRounds } from "../../../test/evidence.ts";

interface Part {
  readonly mutate: readonly string[];
  /** Tests that may notice; the runner takes those that load a mutated file. */
  readonly tests: readonly string[];
}

// Not the tests that read sources, which are changed, nor slow ones that add nothing.
const parts: Readonly<Record<string, Part>> = {
  signatures: {
    mutate: ["packages/signatures/src/**/*.ts"],
    tests: ["packages/signatures/test/!(differential|readme|documentation).spec.ts"],
  },
  rules: {
    mutate: ["packages/rules/src/**/*.ts"],
    tests: ["packages/rules/test/!(readme|documentation).spec.ts"],
  },
  receiver: {
    mutate: ["packages/receiver/src/pipeline/*.ts", "packages/receiver/src/inbox/event-state.ts"],
    tests: [
      "packages/receiver/test/!(docs|transaction-postgres).spec.ts",
      "packages/receiver/test/adapters/{fetch,consumed,stop}.spec.ts",
      "packages/receiver/test/inboxes/search.spec.ts",
      "packages/receiver/test/security/{body,silence}.spec.ts",
      "packages/receiver/test/otel/*.spec.ts",
    ],
  },
  "delivery-decisions": {
    mutate: ["packages/service/src/delivery/decisions.ts"],
    tests: ["packages/service/test/delivery/{decisions,outcomes,engine,attempts,queues}.spec.ts"],
  },
  refunds: {
    mutate: ["packages/service/src/use-cases/{ask-refund,refunds}.ts"],
    tests: [
      "packages/service/test/races.spec.ts",
      "packages/service/test/use-cases/*.spec.ts",
      "packages/service/test/http/*.spec.ts",
    ],
  },
};
const ignoreImpossible = fileURLToPath(new URL("../src/ignore-impossible.ts", import.meta.url));
const GOAL_PERCENT = 95;
const HELP = `npm run mutate -- PART     PART: ${Object.keys(parts).join(", ")}

Changes the sources in place: use a separate worktree. Results are kept in test/output/mutation, so that a stopped
run resumes. Exit code 1 if less than ${String(GOAL_PERCENT)} % of the mutants are killed.`;

const {
  values: { help },
  positionals: [name = ""],
} = parseArgs({ allowPositionals: true, options: { help: { type: "boolean", short: "h" } } });
const chosen = parts[name];
if (help === true) console.log(HELP);
else if (chosen === undefined) {
  console.error(`unknown part ${JSON.stringify(name)}\n\n${HELP}`);
  process.exitCode = 2;
} else await mutate(name, chosen);

async function mutate(campaign: string, part: Part): Promise<void> {
  // Stryker itself repeats only what a change of sources or tests makes necessary.
  process.env["COUNTERSIGN_RESTART"] = "1";
  const { result } = await runRounds({
    campaign: `mutation-${campaign}`,
    command: `npm run mutate -- ${campaign}`,
    measures: part.mutate.map((path) => path.replace(/\/[^/]*[*{].*$/, "")),
    seed: 0,
    goal: 1,
    unit: "run of Stryker",
    round: async () => {
      // Files that share modules are judged three times faster. A mutant that acts while a module is loaded needs new
      // modules: the first run leaves those to the second, which takes over the first results.
      await runStryker(campaign, { part, isStatic: false });
      forgetStaticSurvivors(fileOf(campaign));
      const mutants = await runStryker(campaign, { part, isStatic: true });
      const countOf = (...statuses: readonly string[]): number =>
        mutants.filter(({ status }) => statuses.includes(status)).length;
      const alive = mutants.filter(
        ({ status }) => status === "Survived" || status === "NoCoverage",
      );
      const killed = countOf("Killed");
      const timedOut = countOf("Timeout");
      const judged = killed + timedOut + alive.length;
      return {
        done: 1,
        result: {
          percent: Math.floor((10_000 * (killed + timedOut)) / judged) / 100,
          mutants: judged,
          killed,
          timedOut,
          survivors: alive.map(describe),
        },
      };
    },
  });
  console.log(`${String(result.percent)} % of ${String(result.mutants)} mutants`);
  if (result.percent < GOAL_PERCENT) process.exitCode = 1;
}

function runStryker(
  campaign: string,
  { part, isStatic }: { readonly part: Part; readonly isStatic: boolean },
) {
  // Read by test/vitest.mutation.config.ts.
  process.env["COUNTERSIGN_MUTATION_TESTS"] = part.tests.join(" ");
  process.env["COUNTERSIGN_MUTATION_ISOLATE"] = String(isStatic);
  return new Stryker({
    packageManager: "pnpm",
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner", ignoreImpossible],
    ignorers: ["impossible-branches"],
    ignoreStatic: !isStatic,
    vitest: { configFile: "test/vitest.mutation.config.ts" },
    mutate: [...part.mutate],
    inPlace: true,
    incremental: true,
    incrementalFile: fileOf(campaign),
    reporters: ["progress-append-only"],
    coverageAnalysis: "perTest",
    concurrency: 2,
    timeoutMS: 20_000,
    disableTypeChecks: false,
    allowEmpty: false,
  }).runMutationTest();
}

/** The members of Stryker's incremental file that are read here. */
interface Report {
  readonly files: Readonly<
    Record<string, { mutants: { readonly status: string; readonly static?: boolean }[] }>
  >;
}

function fileOf(campaign: string): string {
  return `test/output/mutation/${campaign}.json`;
}

/** The second run judges these again: a scheme that a test file makes while it is loaded had no mutant in the first. */
function forgetStaticSurvivors(path: string): void {
  // Stryker has just written it.
  const report = JSON.parse(readFileSync(path, "utf8")) as Report;
  for (const file of Object.values(report.files))
    file.mutants = file.mutants.filter((one) => one.static !== true || one.status !== "Survived");
  writeFileSync(path, JSON.stringify(report));
}

type Mutants = Awaited<ReturnType<Stryker["runMutationTest"]>>;

/** `FILE:LINE: CODE → REPLACEMENT`, from the restored sources. */
function describe({ fileName, location: { start, end }, replacement }: Mutants[number]): string {
  const path = fileName.replaceAll("\\", "/").replace(/^.*?\/(?=packages\/)/, "");
  const lines = readFileSync(fileName, "utf8").split("\n");
  const first = lines[start.line - 1] ?? "";
  const isOneLine = start.line === end.line;
  const code = isOneLine ? first.slice(start.column - 1, end.column - 1) : `${first.trim()} …`;
  const other = (replacement ?? "").replaceAll(/\s+/g, " ").slice(0, 80);
  return `${path}:${String(start.line)}: ${code} → ${other}`;
}
