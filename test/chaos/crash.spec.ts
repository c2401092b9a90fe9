import { describe, expect, it } from "vitest";
import { redisBinary } from "../../packages/receiver/test/inboxes/servers.ts";
import { crashCampaign } from "./campaign.ts";
import { CRASH_POINTS } from "./crash-points.ts";
import { lanes } from "./books.ts";
import { drawn, seed } from "../seed.ts";

// SIGKILL keeps what the system has buffered: what a loss of power does is not shown here.
describe(`A29: a merchant's process that is killed at each of ten points (seed ${String(seed)})`, () => {
  it("loses no acknowledged event and books nothing twice in the inbox's transaction", async () => {
    const tally = await crashCampaign({ cycles: CRASH_POINTS.length, seed, points: CRASH_POINTS });

    expect(tally).toMatchObject({ killed: 10, events: 80, lost: [], twice: [] });
    // Each of the ten points was met, so none of them is proven by its absence.
    expect(Object.keys(tally.crashes).toSorted()).toEqual([...CRASH_POINTS].toSorted());
    // Crashes after the commit leave events that are booked and not acknowledged.
    expect(tally.ambiguous).toBeGreaterThan(0);
    expect(tally.repeatedOutside).toBeGreaterThan(0);
  });
});

// The points with most work in progress: written and not committed, taken and not handled.
const points = {
  "after-handler": ["inside the transaction"],
  "after-store": ["after the take"],
} as const;

// Two lanes, drawn by the seed; the long lane has them all.
describe.each(drawn(lanes, 2))(
  `A29: a merchant on $kind, $acknowledge $skipped, killed once (seed ${String(seed)})`,
  ({ kind, acknowledge, skipped }) => {
    it.skipIf(skipped !== "")(
      "loses no acknowledged event and books nothing twice in a transaction, with 200 events of 20 shared resources",
      async () => {
        const of = { kind, acknowledge, shared: true, points: points[acknowledge] };
        const tally = await crashCampaign({ cycles: 1, seed, ...of });

        expect(tally).toMatchObject({ killed: 1, events: 200, lost: [], twice: [] });
        expect(Object.keys(tally.crashes)).toEqual(points[acknowledge]);
      },
      60_000,
    );
  },
);

describe(`A29: a merchant on Redis (seed ${String(seed)})`, () => {
  it.skipIf(redisBinary === undefined)(
    "loses no event and handles no acknowledged one again when Redis crashes and reads its file",
    async () => {
      const tally = await crashCampaign({ cycles: 2, seed, kind: "redis", restarts: true });
      expect(tally).toMatchObject({ killed: 2, events: 16, lost: [], twice: [] });
      expect(tally.sentAgain).toBeGreaterThan(0);
    },
    60_000,
  );
});

describe("A29: a campaign finds a merchant", () => {
  // Either flaw shows here at the first kill.
  const of = { cycles: 1, seed, points: ["before the commit"] } as const;

  it("that acknowledges first", async () => {
    const tally = await crashCampaign({ ...of, flaw: "acknowledges first" });
    expect(tally.lost).not.toEqual([]);
  });

  it("that writes outside the inbox's transaction", async () => {
    const tally = await crashCampaign({ ...of, flaw: "writes outside the transaction" });
    expect(tally.twice).not.toEqual([]);
  });
});
