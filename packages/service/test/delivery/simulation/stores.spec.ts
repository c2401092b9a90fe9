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
    it("gives each lease to one of two members that take all at once", async () => {
      const { store, rows } = await openTables(await open());
      const all = Array.from({ length: 20 }, (_, index) => `key_${index}`).toSorted();
      for (const key of all) await rows.subscribe(key);
      const members = ["a", "b"];
      for (const member of members) await store.join(member);
      for (let round = 0; round < 10; round += 1) {
        const taken = await Promise.all(members.map((member) => store.take(member, { keys: all })));
        expect(taken.flatMap((leased) => leased.map(({ key }) => key)).toSorted()).toEqual(all);
        for (const member of members) await store.release(member, all);
      }
    });
  });
  onStores([sqlite], ({ create, open }) => {
    it("frees the leases of an earlier process that ended without giving them back", async () => {
      const file = await create();
      const first = await open(file);
      await (await openTables(first)).rows.subscribe("one");
      const takes = async (driver: Driver, id: string): Promise<number> => {
        const store = deliveryStore(driver);
        await store.join(id);
        return (await store.take(id, { keys: ["one"] })).length;
      };
      expect(await takes(first, "a")).toBe(1);
      await first.close();
      const next = await open(file);
      expect(await takes(next, "b")).toBe(1);
      const { members } = await deliveryStore(next).beat({ id: "b", beat: 1, now: 0 });
      expect(members).toMatchObject([{ id: "b" }]);
    });
  });
});
