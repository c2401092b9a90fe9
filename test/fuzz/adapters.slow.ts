import { describe, expect, it } from "vitest";
import { runRounds } from "../rounds.ts";
import { campaign, targets } from "./campaign.ts";

/** Requests at each adapter, and those of one round. */
const [RUNS, ROUND] = [100_000, 10_000];

describe(`A3: ${String(RUNS)} hostile requests each`, () => {
  it.each(targets)("neither end nor fool a process with $name", async (mount) => {
    const result = await runRounds({
      campaign: `hostile-requests-${mount.name.toLowerCase().replaceAll(/\W+/g, "-")}`,
      goal: RUNS,
      unit: "hostile requests",
      round: async (roundSeed) => ({
        done: ROUND,
        result: await campaign(mount, { runs: ROUND, seed: roundSeed }),
      }),
    });
    const { handled, statuses, ...findings } = result;
    expect(findings).toMatchObject({ faults: [], falseAccepts: [], falseRefusals: [] });
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(["204", "400", "401", "415"]));
    expect(handled).toBeGreaterThanOrEqual(RUNS / 20);
  });
});
