import { randomInt } from "node:crypto";
import { describe, expect, it } from "vitest";
import { crashCampaign } from "./campaign.ts";
import { CRASH_POINTS } from "./crash-points.ts";

const CYCLES = 10_000;
const HOURS = 3_600_000;

const seed = randomInt(2 ** 31);

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
