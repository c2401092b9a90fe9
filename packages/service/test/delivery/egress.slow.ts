import { describe, expect, it } from "vitest";
import { runRounds } from "../../../../test/rounds.ts";
import { forbiddenSpellings, rebindings } from "./forbidden-addresses.ts";

describe("an attempt to a host that is not public", () => {
  it("B4 reaches none of 100,000 forbidden addresses, however each is spelled", async () => {
    const result = await runRounds({
      campaign: "ssrf-spellings",
      goal: 100_000,
      unit: "spellings of forbidden addresses",
      round: async (roundSeed) => ({
        done: 10_000,
        result: { reached: await forbiddenSpellings(10_000, roundSeed) },
      }),
    });
    expect(result).toEqual({ reached: 0 });
  });

  it("B5 never connects when the name's address changes between checks, in 1,000 attempts", async () => {
    const result = await runRounds({
      campaign: "ssrf-rebindings",
      goal: 1000,
      unit: "attempts to names that change",
      round: async () => ({ done: 200, result: await rebindings(200) }),
    });
    expect(result).toEqual({ answered: 0, reached: 0 });
  });
});
