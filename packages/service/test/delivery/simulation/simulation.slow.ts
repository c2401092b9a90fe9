import { expect, it } from "vitest";
import { runRounds } from "../../../../../test/rounds.ts";
import { seed } from "../../../../../test/seed.ts";
import { firstViolation } from "./simulation.ts";

const WORLDS = 10_000;
const ROUND = 500;

it(`a long simulation of the delivery engine breaks no rule in ${String(WORLDS)} worlds (seeds from ${String(seed)})`, async () => {
  const result = await runRounds({
    campaign: "delivery-simulation",
    goal: WORLDS,
    unit: "simulated worlds",
    round: async (roundSeed) => {
      const violation = await firstViolation(roundSeed, ROUND);
      return { done: ROUND, result: { violations: violation === undefined ? [] : [violation] } };
    },
  });
  expect(result.violations).toEqual([]);
});
