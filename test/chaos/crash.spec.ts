import { describe, expect, it } from "vitest";
import { redisBinary } from "../../packages/receiver/test/inboxes/servers.ts";
import { crashCampaign } from "./campaign.ts";
import { CRASH_POINTS } from "./crash-points.ts";
import { lanes } from "./books.ts";
import { drawn, seed } from "../seed.ts";

// SIGKILL keeps what the system has buffered: what a loss of power does is not shown here.
describe(`A29: a merchant's process that is killed (seed ${String(seed)})`, () => {
  // Drawn by the seed; the long lane has all points.
  const drawnPoints = drawn(CRASH_POINTS, 3);

  it(`loses no acknowledged event and books nothing twice in the inbox's transaction: ${drawnPoints.join(", ")}`, async () => {
    const tally = await crashCampaign({ cycles: 3, seed, points: drawnPoints });

    expect(tally).toMatchObject({ killed: 3, events: 24, lost: [], twice: [] });
    // Each of the points was met, so none of them is proven by its absence.
    expect(Object.keys(tally.crashes).toSorted()).toEqual([...drawnPoints].toSorted());
  });

  // The points with most work in progress: written and not committed, taken and not handled.
  const points = {
    "after-handler": ["inside the transaction"],
    "after-store": ["after the take"],
  } as const;

  it.each(drawn(lanes, 1))(
    "loses no acknowledged event and books nothing twice in a transaction, with 200 events of 20 shared resources, on $kind, $acknowledge",
    { tags: "ci" },
    async ({ kind, acknowledge }) => {
      const of = { kind, acknowledge, shared: true, points: points[acknowledge] };
      const tally = await crashCampaign({ cycles: 1, seed, ...of });

      expect(tally).toMatchObject({ killed: 1, events: 200, lost: [], twice: [] });
      expect(Object.keys(tally.crashes)).toEqual(points[acknowledge]);
    },
  );

  it.skipIf(redisBinary === undefined)(
    "loses no event and handles no acknowledged one again when Redis crashes and reads its file",
    { tags: "ci" },
    async () => {
      const tally = await crashCampaign({ cycles: 2, seed, kind: "redis", restarts: true });
      expect(tally).toMatchObject({ killed: 2, events: 16, lost: [], twice: [] });
      expect(tally.sentAgain).toBeGreaterThan(0);
    },
  );

  const flaws = [
    ["acknowledges first", "lost"],
    ["writes outside the transaction", "twice"],
  ] as const;
  it.each(drawn(flaws, 1))(
    "is found by the campaign if it %s",
    { tags: "ci" },
    async (flaw, found) => {
      // Either flaw shows here at the first kill.
      const tally = await crashCampaign({ cycles: 1, seed, points: ["before the commit"], flaw });
      expect(tally[found]).not.toEqual([]);
    },
  );
});
