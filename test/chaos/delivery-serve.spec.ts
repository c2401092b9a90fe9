import { randomInt } from "node:crypto";
import { expect, it } from "vitest";
import { expectToldOnce } from "../../packages/service/test/instances/told-once.ts";
import { serveCampaign } from "./delivery-serve.ts";
import { isPostgresMissing, postgresStore } from "./delivery-store.ts";

const seed = randomInt(2 ** 31);

it.skipIf(isPostgresMissing)(
  `two processes of countersign serve on PostgreSQL are killed twice and lose nothing (seed ${String(seed)})`,
  async () => {
    const store = await postgresStore();
    const tally = await serveCampaign({ cycles: 2, refunds: 200, seed, ...store });
    expect(tally).toMatchObject({ lost: [], waiting: [], mistold: [], doubled: [] });
    // A refund tells that it is pending, and that it is authorized.
    expect(tally.events).toBe(400);
    await expectToldOnce(store.driver, tally.paymentId);
  },
  60_000,
);
