import { describe, expect, it } from "vitest";
import { RECEIVER, runRounds } from "../evidence.ts";
import { seed } from "../seed.ts";
import { campaign } from "./campaign.ts";
import { startTargets } from "./target-process.ts";
import { targets } from "./targets.ts";

/** Requests at each adapter, and those of one process. */
const [RUNS, ROUND] = [100_000, 10_000];

describe(`A3: ${String(RUNS)} hostile requests each`, () => {
  it.each(targets)("neither end nor fool a process with $name", async (mount) => {
    const { result } = await runRounds({
      campaign: `hostile-requests-${mount.name.toLowerCase().replaceAll(/\W+/g, "-")}`,
      file: "test/fuzz/adapters.slow.ts",
      measures: RECEIVER,
      seed,
      goal: RUNS,
      unit: "hostile requests",
      round: async (roundSeed) => {
        const process = await startTargets([mount.name]);
        const { alive, ...found } = await campaign(process, mount, {
          runs: ROUND,
          seed: roundSeed,
        });
        await process.kill();
        return { done: ROUND, result: { ended: alive ? [] : [String(roundSeed)], ...found } };
      },
    });
    const { handled, statuses, ...findings } = result;
    expect(findings).toEqual({ ended: [], faults: [], falseAccepts: [], falseRefusals: [] });
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(["204", "400", "401", "415"]));
    expect(handled).toBeGreaterThanOrEqual(RUNS / 20);
  });
});
