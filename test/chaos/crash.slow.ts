import { describe, expect, it } from "vitest";
import { redisBinary } from "../../packages/receiver/test/inboxes/servers.ts";
import { RECEIVER, runRounds } from "../evidence.ts";
import { seed } from "../seed.ts";
import { crashCampaign } from "./campaign.ts";
import { lanes } from "./books.ts";

const KILLS = 500;
/** Kills of a round, each of which has its own database. */
const ROUND = 50;
const HOUR_MS = 3_600_000;

describe.each(lanes)(
  `A29: a merchant on $kind, $acknowledge $skipped, killed ${String(KILLS)} times`,
  ({ kind, acknowledge, skipped }) => {
    it.skipIf(skipped !== "").each([
      ["with events of their own resources", false],
      ["with 200 events of 20 shared resources", true],
    ])(
      "loses no acknowledged event and books nothing twice in the inbox's transaction, %s",
      async (_which, shared) => {
        const { result } = await runRounds({
          campaign: `receiver-${kind}-${acknowledge}${shared ? "-shared" : ""}`,
          file: "test/chaos/crash.slow.ts",
          measures: RECEIVER,
          seed,
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
      HOUR_MS,
    );
  },
);

describe("A29: Redis with an append-only file, flushed before each answer", () => {
  it.skipIf(redisBinary === undefined)(
    "crashes 100 times without a lost event or an acknowledged event that is handled again",
    async () => {
      const { result } = await runRounds({
        campaign: "receiver-redis-restarts",
        file: "test/chaos/crash.slow.ts",
        measures: RECEIVER,
        seed,
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
    HOUR_MS,
  );
});
