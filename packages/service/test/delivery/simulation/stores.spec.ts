import { describe, expect, it } from "vitest";
import type { Driver } from "../../../src/store/driver.ts";
import { deliveryStore } from "../../../src/store/tables/delivery-queue.ts";
import { requeueDeliveries, setSubscriptionStatus } from "../../../src/store/tables/replays.ts";
import { inCi, onStores, postgres, sqlite } from "../../store/stores.ts";
import { queueOf } from "../queue.ts";
import { deliveryStoreSuite, type OpenStore } from "./delivery-store-suite.ts";
import { ModelStore, type QueueRows } from "./model-store.ts";

async function openTables(driver: Driver): Promise<OpenStore> {
  const queue = await queueOf(driver);
  const rows: QueueRows = {
    subscribe: (key) => queue.subscribe(key, { clockId: "live" }),
    write: (key, id, nextAt) => queue.enqueue(key, { id, nextAt, payload: id }),
    replay: (id, at) => {
      const requeue = { merchantId: "mer_live", at, limit: 1, after: "" };
      const what = { kind: "delivery", id } as const;
      return driver.transaction((tx) => requeueDeliveries(tx, { ...requeue, what }));
    },
    pause: (key) => queue.write("UPDATE subscriptions SET status = 'PAUSED' WHERE key = $1", [key]),
    resume: (key) =>
      driver.transaction((tx) => setSubscriptionStatus(tx, { key, status: "ACTIVE", at: 0 })),
    close: async (key) => {
      await queue.write("UPDATE subscriptions SET status = 'CLOSED' WHERE key = $1", [key]);
      await queue.write(
        "UPDATE deliveries SET state = 'dropped', next_at = NULL WHERE subscription_key = $1 AND next_at IS NOT NULL",
        [key],
      );
    },
    delivery: async (id) => {
      const row = (await queue.deliveries()).find((one) => one.id === id);
      return [row?.state, row?.next_at, row?.attempts];
    },
  };
  return { store: queue.store, rows };
}

describe("the delivery queue", () => {
  describe("of the simulation's model", () => {
    deliveryStoreSuite(async () => {
      const model = new ModelStore();
      return { store: model, rows: model };
    });
  });
  onStores([sqlite, inCi(postgres)], ({ open }) => {
    deliveryStoreSuite(async () => openTables(await open()));
  });
  onStores([inCi(postgres)], ({ open }) => {
    it("gives each delivery to one of several that claim at once", async () => {
      const { store, rows } = await openTables(await open());
      await rows.subscribe("one");
      const all = Array.from({ length: 20 }, (_, index) => `d${index + 10}`);
      for (const id of all) await rows.write("one", id, 0);
      const requests = [{ key: "one", after: { nextAt: -1, seq: 0 }, most: 5 }];
      const claim = () => store.claim(requests, { now: 1, leaseMs: 60_000 });
      const claimed: string[] = [];
      for (let round = 0; round < 5; round += 1)
        for (const [one] of await Promise.all([claim(), claim(), claim()]))
          claimed.push(...(one?.deliveries ?? []).map(({ id }) => id));
      expect(claimed.toSorted()).toEqual(all);
    });
  });
  onStores([sqlite, inCi(postgres)], ({ open }) => {
    it.each([
      ["its time has passed", 1],
      ["the database's clock was set back by more than a claim lasts", 2 ** 50],
    ])("ends a claim when %s", async (_, claimedUntil) => {
      const driver = await open();
      const { store, rows } = await openTables(driver);
      await rows.subscribe("one");
      await rows.write("one", "d1", 0);
      const sql = "UPDATE deliveries SET claimed_until = $1";
      await driver.transaction((tx) => tx.query(sql, [claimedUntil]));
      expect(await store.findDue({ now: 100, leaseMs: 30_000 })).toHaveLength(1);
      const requests = [{ key: "one", after: { nextAt: -1, seq: 0 }, most: 1 }];
      const [claimed] = await store.claim(requests, { now: 100, leaseMs: 30_000 });
      expect(claimed?.deliveries).toHaveLength(1);
    });
  });
  onStores([sqlite], ({ create, open }) => {
    it("ends the claims of an earlier process that ended without releasing them", async () => {
      const file = await create();
      const first = await open(file);
      const { store, rows } = await openTables(first);
      await rows.subscribe("one");
      await rows.write("one", "d1", 0);
      const times = { now: 100, leaseMs: 30_000 };
      await store.claim([{ key: "one", after: { nextAt: -1, seq: 0 }, most: 1 }], times);
      expect(await store.findDue(times)).toEqual([]);
      await first.close();
      const next = deliveryStore(await open(file));
      await next.keepTime(100);
      expect(await next.findDue(times)).toHaveLength(1);
    });
  });
});
