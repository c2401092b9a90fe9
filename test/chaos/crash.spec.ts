import { describe, expect, it } from "vitest";
import { crashCampaign } from "./campaign.ts";
import { CRASH_POINTS } from "./crash-points.ts";
import { seed } from "../seed.ts";

// SIGKILL keeps what the system has buffered: what a loss of power does is not shown here.
describe(`A29: a merchant's process that is killed 20 times (seed ${String(seed)})`, () => {
  it("loses nothing that it acknowledged and books nothing twice in the inbox's transaction", async () => {
    const tally = await crashCampaign({ cycles: 20, seed });

    expect(tally).toMatchObject({ killed: 20, events: 160, lost: [], twice: [] });
    // Each of the ten points was met, so none of them is proven by its absence.
    expect(Object.keys(tally.crashes).toSorted()).toEqual([...CRASH_POINTS].toSorted());
    // Crashes after the commit leave events that are booked and not acknowledged.
    expect(tally.ambiguous).toBeGreaterThan(0);
    expect(tally.repeatedOutside).toBeGreaterThan(0);
  });

  // Where either flaw shows, at the first kill.
  const points = ["before the commit"] as const;

  it("is found out where it acknowledges first", async () => {
    const tally = await crashCampaign({ cycles: 1, seed, points, flaw: "acknowledges first" });
    expect(tally.lost).not.toEqual([]);
  });

  it("is found out where it writes outside the transaction", async () => {
    const tally = await crashCampaign({
      cycles: 1,
      seed,
      points,
      flaw: "writes outside the transaction",
    });
    expect(tally.twice).not.toEqual([]);
  });
});
