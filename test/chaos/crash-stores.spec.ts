import { randomInt } from "node:crypto";
import { describe, expect, it } from "vitest";
import { crashCampaign } from "./campaign.ts";
import { lanes } from "./lanes.ts";

// Printed, so that the named points can be met again at the same passes.
const seed = randomInt(2 ** 31);

// Where most is under way: written and not committed, taken and not handled. All points are in the
// slow lane.
const points = {
  "after-handler": ["inside the transaction"],
  "after-store": ["after the take"],
} as const;

describe.each(lanes)(`A29: a merchant on $kind, $acknowledge $skipped`, (lane) => {
  const { kind, acknowledge, skipped } = lane;

  it.skipIf(skipped !== "")(
    `that is killed twice loses nothing and books nothing twice in a transaction (seed ${String(seed)})`,
    async () => {
      const tally = await crashCampaign({
        cycles: 2,
        seed,
        kind,
        acknowledge,
        points: points[acknowledge],
      });

      expect(tally).toMatchObject({ killed: 2, events: 16, lost: [], twice: [] });
      expect(Object.keys(tally.crashes).toSorted()).toEqual(points[acknowledge].toSorted());
    },
  );
});

describe("A29: a merchant on PostgreSQL", () => {
  const { skipped } = lanes[1];
  it.skipIf(skipped !== "")(
    `is found out where it writes outside the transaction ${skipped}`,
    async () => {
      const tally = await crashCampaign({
        cycles: 1,
        seed,
        kind: "postgres",
        flaw: "writes outside the transaction",
        points: ["before the commit"],
      });
      expect(tally.twice).not.toEqual([]);
    },
  );
});
