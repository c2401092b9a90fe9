import { randomInt } from "node:crypto";
import { describe, expect, it } from "vitest";
import { deliveryCampaign } from "./delivery-campaign.ts";
import { isPostgresMissing, postgresStore, sqliteStore } from "./delivery-store.ts";

const CYCLES = 10_000;
const RESTARTS = 100;
const HOURS = 3_600_000;
const seed = randomInt(2 ** 31);

describe(`two delivering processes of one database (seed ${String(seed)})`, () => {
  it.skipIf(isPostgresMissing)(
    `are killed ${String(CYCLES)} times on PostgreSQL and lose nothing`,
    async () => {
      const tally = await deliveryCampaign({ cycles: CYCLES, seed, ...(await postgresStore()) });
      console.log(tally);
      expect(tally).toMatchObject({ killed: CYCLES, lost: [], doubled: [] });
    },
    6 * HOURS,
  );

  it(
    `are killed ${String(CYCLES / 10)} times on SQLite and lose nothing`,
    async () => {
      const tally = await deliveryCampaign({ cycles: CYCLES / 10, seed, ...sqliteStore() });
      console.log(tally);
      expect(tally).toMatchObject({ killed: CYCLES / 10, lost: [], doubled: [] });
    },
    HOURS,
  );

  it.skipIf(isPostgresMissing)(
    `lose nothing while PostgreSQL crashes ${String(RESTARTS)} times`,
    async () => {
      const { crash, ...store } = await postgresStore();
      const tally = await deliveryCampaign({ cycles: RESTARTS, seed, ...store, disturb: crash });
      console.log(tally);
      expect(tally).toMatchObject({ killed: RESTARTS, lost: [], doubled: [] });
    },
    HOURS,
  );
});
