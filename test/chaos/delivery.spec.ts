import { describe, expect, it } from "vitest";
import { deliveryCampaign } from "./delivery-campaign.ts";
import { DELIVERY_POINTS } from "./delivery-points.ts";
import { isPostgresMissing, postgresStore, sqliteStore } from "./delivery-store.ts";
import { NO_FAULT } from "./delivery-verdict.ts";
import { seed } from "../seed.ts";

const HOUR_MS = 3_600_000;
/** Six seconds on a machine that does nothing else. */
const PATIENCE_MS = 180_000;
// SIGKILL keeps what the system has buffered: what a loss of power does is not shown here.
describe(`two delivering processes of one database that are killed (seed ${String(seed)})`, () => {
  it.skipIf(isPostgresMissing)(
    "20 times on PostgreSQL: they lose nothing, and repeat only what was under way",
    async () => {
      const tally = await deliveryCampaign({ cycles: 20, seed, ...(await postgresStore()) });
      expect(tally).toMatchObject({ killed: 20, garbled: [], ...NO_FAULT });
      expect(Object.keys(tally.crashes).toSorted()).toEqual([...DELIVERY_POINTS].toSorted());
      expect(tally.events).toBeGreaterThan(100);
      // The schedule's longest step and its tenth: a lease or a wait beyond it would be a fault.
      expect(tally.aheadMs).toBeLessThan(28 * HOUR_MS);
    },
    PATIENCE_MS,
  );

  it("are found out where they settle before they have posted", async () => {
    const tally = await deliveryCampaign({
      cycles: 2,
      seed,
      flaw: "settles first",
      points: ["after the settlement"],
      ...sqliteStore(),
    });
    expect(tally.lost).not.toEqual([]);
    expect(tally.waiting).toEqual([]);
  });
});
