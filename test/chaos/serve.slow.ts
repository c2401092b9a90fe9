import { describe, expect, it } from "vitest";
import { runRounds } from "../rounds.ts";
import { NO_SERVE_FAULT, serveCampaign } from "./serve-campaign.ts";
import { isInstalled, storesOf } from "./chaos-store.ts";

const LONG = { timeout: 6 * 3_600_000 };
/** Times of a round, each with its own database, that the processes are killed. */
const CYCLES = 10;
const stores = [{ store: "postgres" }, { store: "sqlite" }] as const;

describe("processes that deliver from one database", () => {
  it.each(stores.filter(isInstalled))(
    "forget no event, key or refund as `countersign serve` on $store, killed 500 times",
    LONG,
    async ({ store }) => {
      const open = await storesOf(store);
      const all = await runRounds({
        campaign: `serve-${store}`,
        goal: 500,
        unit: "kills of countersign serve",
        round: async (roundSeed) => {
          const opened = await open();
          const result = await serveCampaign(opened, { cycles: CYCLES, seed: roundSeed });
          await opened.driver.close();
          return { done: result.killed, result };
        },
      });
      expect(all).toMatchObject(NO_SERVE_FAULT);
    },
  );
});
