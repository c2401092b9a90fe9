import { expect, it } from "vitest";
import { runRounds } from "../../../../test/rounds.ts";
import { simulateDays } from "./simulated-days.ts";

it("T-17 a service authorizes each refund of the leap year 2028 at its threshold, to the millisecond", async () => {
  const result = await runRounds({
    campaign: "service-year",
    goal: 366,
    unit: "simulated days of the service",
    round: async () => {
      const { days, ...found } = await simulateDays("2028-01-01", 366);
      return { done: days, result: found };
    },
  });
  expect(result.wrong).toEqual([]);
});
