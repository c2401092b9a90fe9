import { describe, expect, it } from "vitest";
import { seed } from "../seed.ts";
import { deliveryCampaign } from "./delivery-campaign.ts";
import { serveCampaign } from "./delivery-serve.ts";
import { isPostgresMissing, postgresStore, sqliteStore } from "./delivery-store.ts";
import { NO_FAULT } from "./delivery-verdict.ts";

const HOUR_MS = 3_600_000;
const all = [
  { store: "postgres", processes: 2, cycles: 10_000, crashes: false },
  { store: "postgres", processes: 4, cycles: 1000, crashes: false },
  { store: "postgres", processes: 2, cycles: 100, crashes: true },
  { store: "sqlite", processes: 2, cycles: 1000, crashes: false },
];
const campaigns = all.filter(({ store }) => store === "sqlite" || !isPostgresMissing);

describe(`processes that deliver from one database (seed ${String(seed)})`, () => {
  it.each(campaigns)(
    "lose nothing: $processes on $store, killed $cycles times, the server crashing too: $crashes",
    async ({ store, processes, cycles, crashes }) => {
      const { crash, ...opened } =
        store === "postgres" ? await postgresStore() : { ...sqliteStore(), crash: undefined };
      const disturb = crashes && crash !== undefined ? { disturb: crash } : {};
      const tally = await deliveryCampaign({ cycles, seed, processes, ...opened, ...disturb });
      console.log(tally);
      expect(tally).toMatchObject({ killed: cycles, garbled: [], ...NO_FAULT });
      // While the server is down, a process may count as dead and still have requests open.
      if (!crashes) expect(tally.doubled).toEqual([]);
    },
    6 * HOUR_MS,
  );

  it.skipIf(isPostgresMissing)(
    "lose nothing as `countersign serve` on PostgreSQL when both are killed 20 times",
    async () => {
      const store = await postgresStore();
      const tally = await serveCampaign({ cycles: 20, refunds: 5000, seed, store });
      console.log(tally);
      expect(tally).toMatchObject({ ...NO_FAULT, events: 10_000 });
    },
    HOUR_MS,
  );
});
