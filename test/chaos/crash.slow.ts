import { describe, expect, it } from "vitest";
import { crashCampaign } from "./campaign.ts";
import { lanes } from "./lanes.ts";
import { seed } from "../seed.ts";

const KILLS = 500;
const HOUR_MS = 3_600_000;

describe.each(lanes)(
  `A29: a merchant on $kind, $acknowledge $skipped, killed ${String(KILLS)} times (seed ${String(seed)})`,
  ({ kind, acknowledge, skipped }) => {
    it.skipIf(skipped !== "").each([
      ["with events of their own resources", false],
      ["with 200 events of 20 shared resources", true],
    ])(
      "loses no acknowledged event and books nothing twice in the inbox's transaction, %s",
      async (_which, shared) => {
        const cycles = KILLS / 2;
        const tally = await crashCampaign({ cycles, seed, kind, acknowledge, shared });
        console.log(kind, acknowledge, { shared }, tally);
        expect(tally).toMatchObject({ killed: cycles, lost: [], twice: [] });
      },
      HOUR_MS,
    );
  },
);
