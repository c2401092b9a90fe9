import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { clients } from "../../packages/receiver/test/inboxes/servers.ts";
import { drawn, seed } from "../seed.ts";
import { deliveryCampaign } from "./delivery-campaign.ts";
import { DELIVERY_POINTS } from "./crash-points.ts";
import { disturbedServe, NO_SERVE_FAULT, serveCampaign } from "./serve-campaign.ts";
import { isPostgresMissing, openStore } from "./delivery-store.ts";
import { NO_FAULT } from "./delivery-verdict.ts";

const PATIENCE_MS = 180_000;

// SIGKILL keeps what the system has buffered: a loss of power is not covered.
describe(`two processes that deliver from one database (seed ${String(seed)})`, () => {
  // One of the points, drawn by the seed; the long lane kills at all of them.
  it.skipIf(isPostgresMissing).each(drawn(DELIVERY_POINTS, 1))(
    "lose nothing and repeat only attempts in flight when killed %s on PostgreSQL",
    async (point) => {
      const plan = { cycles: 2, leaseMs: 3000, seed, points: [point] };
      const tally = await deliveryCampaign({ ...plan, store: await openStore("postgres") });
      const expected = { killed: 2, garbled: [], doubled: [], ...NO_FAULT };
      expect(tally).toMatchObject({ ...expected, crashes: { [point]: 2 } });
      expect(tally.events).toBeGreaterThan(10);
      // 28 h, the schedule's longest step and its tenth: a wait beyond it would be a fault.
      expect(tally.aheadMs).toBeLessThan(28 * 3_600_000);
    },
    PATIENCE_MS,
  );

  it("are reported by the campaign if they record before they post", async () => {
    const at = { points: ["after the completion"], flaw: "completes first" } as const;
    const plan = { cycles: 1, processes: 1, seed, ...at };
    const store = await openStore("sqlite");
    const { lost, waiting } = await deliveryCampaign({ ...plan, store });
    expect(lost).not.toEqual([]);
    expect(waiting).toEqual([]);
  });

  it(
    "lose nothing, and forget or repeat no refund, as `countersign serve` on either store when killed",
    async () => {
      const isSqlite = isPostgresMissing || seed % 2 === 0;
      const store = await openStore(isSqlite ? "sqlite" : "postgres");
      const tally = await serveCampaign(store, { cycles: 1, seed });
      expect(tally).toMatchObject(NO_SERVE_FAULT);
      expect(tally.events).toBeGreaterThanOrEqual(40);
    },
    PATIENCE_MS,
  );

  it.skipIf(isPostgresMissing)(
    "B22 go on, lose nothing and do nothing twice, as `countersign serve` while their connections to PostgreSQL end every 200 ms",
    async () => {
      const store = await openStore("postgres");
      const { port, pathname } = new URL(store.database);
      const admin = await clients.postgres(Number(port), pathname.slice(1));
      onTestFinished(() => admin.end());
      let ended = 0;
      const endConnections = async (): Promise<void> => {
        for (let times = 0; times < 10; times += 1) {
          await setTimeout(200);
          const { rowCount } = await admin.query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
              WHERE application_name LIKE 'countersign%' AND datname = current_database()`,
          );
          ended += rowCount ?? 0;
        }
      };
      const tally = await disturbedServe(store, [endConnections]);
      expect(tally).toMatchObject({ ...NO_SERVE_FAULT, repeated: 0 });
      expect(tally.refunds).toBeGreaterThan(0);
      expect(ended).toBeGreaterThan(10);
    },
    PATIENCE_MS,
  );
});
