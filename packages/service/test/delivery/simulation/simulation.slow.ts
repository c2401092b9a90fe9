import { describe, expect, it } from "vitest";
import { runRounds, SERVICE } from "../../../../../test/evidence.ts";
import { seed } from "../../../../../test/seed.ts";
import { findsBugs, firstViolation } from "./campaign.ts";
import { BUGS } from "./planted-bugs.ts";

const WORLDS = 10_000;
const ROUND = 500;

describe(`a long simulation of the delivery engine (seeds from ${String(seed)})`, () => {
  it(`breaks no rule in ${String(WORLDS)} worlds of crashes, lost commits, stalls, clock steps and failing endpoints`, async () => {
    const { result } = await runRounds({
      campaign: "delivery-simulation",
      file: "packages/service/test/delivery/simulation/simulation.slow.ts",
      measures: SERVICE,
      seed,
      goal: WORLDS,
      unit: "simulated worlds",
      round: async (roundSeed) => {
        const violation = await firstViolation(roundSeed, ROUND);
        return { done: ROUND, result: { violations: violation === undefined ? [] : [violation] } };
      },
    });
    expect(result.violations).toEqual([]);
  });

  findsBugs(BUGS);
});
