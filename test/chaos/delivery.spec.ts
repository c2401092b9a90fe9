import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { clients } from "../../packages/receiver/test/inboxes/servers.ts";
import { seed } from "../seed.ts";
import { deliveryCampaign } from "./delivery-campaign.ts";
import { DELIVERY_POINTS } from "./crash-points.ts";
import { disturbedServe, NO_SERVE_FAULT, serveCampaign } from "./serve-campaign.ts";
import { isPostgresMissing, openStore } from "./delivery-store.ts";
import { NO_FAULT } from "./delivery-verdict.ts";

const HOUR_MS = 3_600_000;
const PATIENCE_MS = 180_000;
/** Two of the points, drawn by the seed; the long lane kills at all of them. */
const points = [0, 1].map(
  (turn) => DELIVERY_POINTS[(seed + turn * 2) % DELIVERY_POINTS.length] ?? "before the POST",
);

// SIGKILL keeps what the system has buffered: a loss of power is not covered.
describe(`two processes that deliver from one database (seed ${String(seed)})`, () => {
  it.skipIf(isPostgresMissing)(
    `lose nothing and repeat only attempts in flight when killed ${points.join(", ")} on PostgreSQL`,
    async () => {
      // Side by side: in each database, one process waits for the end of the other one's lease.
      const campaigns = points.map(async (point) => {
        const plan = { cycles: 2, leaseMs: 3000, seed, points: [point] };
        const tally = await deliveryCampaign({ ...plan, store: await openStore("postgres") });
        return { point, ...tally };
      });
      for (const { point, ...tally } of await Promise.all(campaigns)) {
        const expected = { killed: 2, garbled: [], doubled: [], ...NO_FAULT };
        expect(tally).toMatchObject({ ...expected, crashes: { [point]: 2 } });
        expect(tally.events).toBeGreaterThan(10);
        // The schedule's longest step and its tenth: a wait beyond it would be a fault.
        expect(tally.aheadMs).toBeLessThan(28 * HOUR_MS);
      }
    },
    PATIENCE_MS,
  );

  it("are reported by the campaign if they record before they post", async () => {
    const at = { points: ["after the completion"] } as const;
    const flawed = { cycles: 2, processes: 1, seed, ...at, flaw: "completes first" } as const;
    const { lost, waiting } = await deliveryCampaign({
      ...flawed,
      store: await openStore("sqlite"),
    });
    expect(lost).not.toEqual([]);
    expect(waiting).toEqual([]);
  });

  it(
    "lose nothing, and forget or repeat no refund, as `countersign serve` on either store when killed",
    async () => {
      const isSqlite = isPostgresMissing || seed % 2 === 0;
      const store = await openStore(isSqlite ? "sqlite" : "postgres");
      const tally = await serveCampaign({ cycles: 1, seed, store });
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
