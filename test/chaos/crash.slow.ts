import { describe, expect, it } from "vitest";
import { crashCampaign } from "./campaign.ts";
import { CRASH_POINTS, STORED_CRASH_POINTS } from "./crash-points.ts";
import { lanes } from "./lanes.ts";
import { seed } from "../seed.ts";

const CYCLES = 10_000;
const HOURS = 3_600_000;

describe(`A29: a merchant's process that is killed ${String(CYCLES)} times (seed ${String(seed)})`, () => {
  it(
    "loses nothing that it acknowledged and books nothing twice in the inbox's transaction",
    async () => {
      const tally = await crashCampaign({ cycles: CYCLES, seed });

      console.log(tally);
      expect(tally).toMatchObject({ killed: CYCLES, lost: [], twice: [] });
      for (const point of CRASH_POINTS) expect(tally.crashes[point]).toBe(CYCLES / 20);
    },
    4 * HOURS,
  );
});

const LANE_CYCLES = 1000;

describe.each(lanes)(
  `A29: a merchant on $kind, $acknowledge $skipped, killed ${String(LANE_CYCLES)} times (seed ${String(seed)})`,
  ({ kind, acknowledge, skipped }) => {
    it.skipIf(skipped !== "")(
      "loses nothing that it acknowledged and books nothing twice in a transaction",
      async () => {
        const tally = await crashCampaign({ cycles: LANE_CYCLES, seed, kind, acknowledge });

        console.log(tally);
        expect(tally).toMatchObject({ killed: LANE_CYCLES, lost: [], twice: [] });
        const points = acknowledge === "after-store" ? STORED_CRASH_POINTS : CRASH_POINTS;
        for (const point of points) expect(tally.crashes[point]).toBe(LANE_CYCLES / 20);
      },
      HOURS,
    );
  },
);
