import { describe, expect, it } from "vitest";
import { drawn, seed } from "../seed.ts";
import { deliveryCampaign } from "./delivery-campaign.ts";
import { DELIVERY_POINTS } from "./crash-points.ts";
import { isPostgresMissing, openStore } from "./delivery-store.ts";
import { NO_FAULT } from "./delivery-verdict.ts";

const PATIENCE_MS = 180_000;

// SIGKILL keeps what the system has buffered: a loss of power is not covered.
describe(`two processes that deliver from one database (seed ${String(seed)})`, () => {
  // One of the points, drawn by the seed; the long lane kills at all of them.
  it.skipIf(isPostgresMissing).each(drawn(DELIVERY_POINTS, 1))(
    "lose nothing and repeat only attempts in flight when killed %s on PostgreSQL",
    { tags: "ci", timeout: PATIENCE_MS },
    async (point) => {
      const plan = { cycles: 2, leaseMs: 3000, seed, points: [point] };
      const tally = await deliveryCampaign({ ...plan, store: await openStore("postgres") });
      const expected = { killed: 2, garbled: [], doubled: [], ...NO_FAULT };
      expect(tally).toMatchObject({ ...expected, crashes: { [point]: 2 } });
      expect(tally.events).toBeGreaterThan(10);
      // 28 h, the schedule's longest step and its tenth: a wait beyond it would be a fault.
      expect(tally.aheadMs).toBeLessThan(28 * 3_600_000);
    },
  );

  it("are reported by the campaign if they record before they post", { tags: "ci" }, async () => {
    const at = { points: ["after the completion"], flaw: "completes first" } as const;
    const plan = { cycles: 1, processes: 1, seed, ...at };
    const store = await openStore("sqlite");
    const { lost, waiting } = await deliveryCampaign({ ...plan, store });
    expect(lost).not.toEqual([]);
    expect(waiting).toEqual([]);
  });
});
