import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { queueOf } from "../../packages/service/test/delivery/queue.ts";
import { clients } from "../../packages/receiver/test/inboxes/servers.ts";
import { seed } from "../seed.ts";
import { isPostgresMissing, openStore } from "./chaos-store.ts";
import { disturbedServe, NO_SERVE_FAULT, serveCampaign } from "./serve-campaign.ts";
import { verdictOf } from "./serve-verdict.ts";

const PATIENCE_MS = 180_000;

describe(
  `two processes that deliver from one database (seed ${String(seed)})`,
  { tags: "ci" },
  () => {
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
  },
);

it("the campaign's verdict names events that are lost, wait, or have another end than they arrived with", async () => {
  const { driver } = await openStore("sqlite");
  const queue = await queueOf(driver, "sub_1");
  await queue.publish(5, ["sub_1"]);
  const set = (id: number, state: string) =>
    queue.write("UPDATE deliveries SET state = $1, next_at = NULL WHERE id = $2", [
      state,
      `dlv_${id}`,
    ]);
  for (const id of [1, 2]) await set(id, "delivered");
  await set(3, "exhausted");
  await queue.write("DELETE FROM deliveries WHERE id = 'dlv_4'");
  const written = [1, 2, 3, 4, 5].map((id) => `evt_${id}`);
  const arrived = new Map([
    ["evt_1", 1],
    ["evt_3", 2],
    ["evt_4", 1],
  ]);
  const eventsOf = (found: readonly string[]) => found.map((one) => JSON.parse(one) as object);
  const { lost, waiting, mistold, repeated } = await verdictOf(driver, written, arrived);
  expect(eventsOf(lost)).toMatchObject([{ event: "evt_2" }, { event: "evt_4" }]);
  expect(eventsOf(waiting)).toMatchObject([{ event: "evt_5" }]);
  expect(eventsOf(mistold)).toMatchObject([{ event: "evt_3" }]);
  expect(repeated).toBe(1);
});
