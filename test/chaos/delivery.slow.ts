import { describe, expect, it } from "vitest";
import { runRounds } from "../rounds.ts";
import { deliveryCampaign } from "./delivery-campaign.ts";
import { NO_SERVE_FAULT, serveCampaign } from "./serve-campaign.ts";
import { isInstalled, storesOf } from "./delivery-store.ts";
import { NO_FAULT } from "./delivery-verdict.ts";

const LONG = { timeout: 6 * 3_600_000 };
/** Kills of a round, each of which has its own database. */
const ROUND = 50;
const deliverers = [
  { store: "postgres", processes: 4, kills: 250 },
  { store: "sqlite", processes: 1, kills: 250 },
] as const;

describe("processes that deliver from one database", () => {
  it.each(deliverers.filter(isInstalled))(
    "lose and repeat nothing: $processes on $store, killed $kills times",
    LONG,
    async ({ store, processes, kills }) => {
      const open = await storesOf(store);
      const all = await runRounds({
        campaign: `delivery-${store}-${String(processes)}`,
        goal: kills,
        unit: "kills of a delivering process",
        round: async (roundSeed) => {
          const opened = await open();
          const plan = { cycles: ROUND, seed: roundSeed, processes, store: opened };
          const { aheadMs: _, ...result } = await deliveryCampaign(plan);
          await opened.driver.close();
          return { done: result.killed, result };
        },
      });
      expect(all).toMatchObject({ garbled: [], doubled: [], ...NO_FAULT });
    },
  );

  it.each(deliverers.filter(isInstalled))(
    "forget no event, key or refund as `countersign serve` on $store, killed 1,000 times",
    LONG,
    async ({ store }) => {
      const open = await storesOf(store);
      const all = await runRounds({
        campaign: `serve-${store}`,
        goal: 1000,
        unit: "kills of countersign serve",
        round: async (roundSeed) => {
          const opened = await open();
          const result = await serveCampaign(opened, { cycles: ROUND / 5, seed: roundSeed });
          await opened.driver.close();
          return { done: result.killed, result };
        },
      });
      expect(all).toMatchObject(NO_SERVE_FAULT);
    },
  );
});
