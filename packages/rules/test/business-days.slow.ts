import { expect, it } from "vitest";
import { runRounds } from "../../../test/rounds.ts";
import { federalReserve, isBusinessDay } from "../src/business-days.ts";
import { eligibleAt } from "../src/hold.ts";
import { compareDays } from "./independent-calendar.ts";
import { standardHold } from "./refunds.ts";

it("business days and thresholds of 2024 to 2035 are those of an independent calendar", async () => {
  const result = await runRounds({
    campaign: "business-days",
    // The calendar ends with 2035: later settlements have their threshold after it.
    goal: 4375,
    unit: "days, each with settlements at its first and its last millisecond",
    round: async () => {
      const { days, differing } = compareDays(["2024-01-01", "2035-12-24"], {
        isOpen: (date) => isBusinessDay(date, federalReserve),
        threshold: (settledAt) => eligibleAt(settledAt, standardHold),
      });
      return { done: days, result: { differing } };
    },
  });
  expect(result.differing).toEqual([]);
});
