import { describe, expect, it } from "vitest";
import { deliveryCampaign } from "./delivery-campaign.ts";
import { isPostgresMissing, postgresStore, sqliteStore } from "./delivery-store.ts";
import { NO_FAULT } from "./delivery-verdict.ts";
import { seed } from "../seed.ts";

const CYCLES = 10_000;
const RESTARTS = 100;
const HOURS = 3_600_000;
describe(`delivering processes of one database (seed ${String(seed)})`, () => {
  it.skipIf(isPostgresMissing).each([
    { processes: 2, cycles: CYCLES },
    { processes: 4, cycles: CYCLES / 10 },
  ])(
    "of which $processes run at one time are killed $cycles times on PostgreSQL and lose nothing",
    async ({ processes, cycles }) => {
      const store = await postgresStore();
      const tally = await deliveryCampaign({ cycles, seed, processes, ...store });
      console.log(tally);
      expect(tally).toMatchObject({ killed: cycles, garbled: [], ...NO_FAULT });
    },
    6 * HOURS,
  );

  it(
    `of which 2 run at one time are killed ${String(CYCLES / 10)} times on SQLite and lose nothing`,
    async () => {
      const tally = await deliveryCampaign({ cycles: CYCLES / 10, seed, ...sqliteStore() });
      console.log(tally);
      expect(tally).toMatchObject({ killed: CYCLES / 10, garbled: [], ...NO_FAULT });
    },
    HOURS,
  );

  it.skipIf(isPostgresMissing)(
    `lose nothing while PostgreSQL crashes ${String(RESTARTS)} times`,
    async () => {
      const { crash, ...store } = await postgresStore();
      const tally = await deliveryCampaign({ cycles: RESTARTS, seed, ...store, disturb: crash });
      console.log(tally);
      expect(tally).toMatchObject({ killed: RESTARTS, garbled: [], ...NO_FAULT });
    },
    HOURS,
  );
});
