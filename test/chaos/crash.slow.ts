import { describe, expect, it } from "vitest";
import { redisBinary } from "../../packages/receiver/test/inboxes/servers.ts";
import { runRounds } from "../rounds.ts";
import { crashCampaign } from "./campaign.ts";
import { lanes } from "./books.ts";

/** With each store and acknowledgement; half of them with 200 events of 20 shared resources. */
const KILLS = 500;
/** Kills of a round, each of which has its own database. */
const ROUND = 50;

describe("A29: a merchant that is killed", () => {
  const plans = lanes.flatMap((lane) => [
    { ...lane, shared: false },
    { ...lane, shared: true },
  ]);

  it.each(plans)(
    "loses no acknowledged event and books nothing twice in the inbox's transaction, on $kind, $acknowledge, with shared resources: $shared",
    async ({ kind, acknowledge, shared }) => {
      const result = await runRounds({
        campaign: `receiver-${kind}-${acknowledge}${shared ? "-shared" : ""}`,
        goal: KILLS / 2,
        unit: "kills of a receiver",
        round: async (roundSeed) => {
          const plan = { cycles: ROUND, seed: roundSeed, kind, acknowledge, shared };
          const tally = await crashCampaign(plan);
          return { done: tally.killed, result: tally };
        },
      });
      expect(result).toMatchObject({ lost: [], twice: [] });
    },
  );

  it.skipIf(redisBinary === undefined)(
    "loses no event and handles no acknowledged one again through 100 crashes of Redis with an append-only file, flushed before each answer",
    async () => {
      const result = await runRounds({
        campaign: "receiver-redis-restarts",
        goal: 100,
        unit: "crashes of Redis",
        round: async (roundSeed) => {
          const plan = { cycles: 20, seed: roundSeed, kind: "redis", restarts: true } as const;
          const tally = await crashCampaign(plan);
          return { done: tally.cycles, result: tally };
        },
      });
      expect(result).toMatchObject({ lost: [], twice: [] });
    },
  );
});
