import { describe, expect, it } from "vitest";
import { deliveryStore } from "../../../src/store/tables/delivery-queue.ts";
import { insertDeliveries, insertEvent } from "../../../src/store/tables/deliveries.ts";
import { requeueDeliveries, setSubscriptionStatus } from "../../../src/store/tables/replays.ts";
import { insertSubscription } from "../../../src/store/tables/subscriptions.ts";
import { migrate } from "../../../src/store/migrate.ts";
import type { Driver, SqlValue } from "../../../src/store/driver.ts";
import { onStores, postgres, sqlite, sqliteWithThread } from "../../store/stores.ts";
import { CLOCK_NOW, deliveryStoreSuite } from "./delivery-store-suite.ts";
import { insert } from "../../store/rows.ts";
import { ModelStore, type OpenQueue } from "./model-store.ts";

const NONE = { all: false, categories: [], events: [] };

async function openTables(driver: Driver): Promise<OpenQueue> {
  await migrate(driver, { now: 0 });
  const write = (sql: string, params: readonly SqlValue[] = []): Promise<unknown> =>
    driver.transaction((tx) => tx.query(sql, params));
  await write("INSERT INTO clocks (id, instant) VALUES ('clk_1', $1)", [CLOCK_NOW]);
  for (const clock_id of ["live", "clk_1"])
    await driver.transaction((tx) => insert(tx, "merchants", { id: `mer_${clock_id}`, clock_id }));
  const ownerOf = async (key: string) => {
    const [row] = await driver.query<{ merchantId: string; clockId: string }>(
      'SELECT merchant_id AS "merchantId", clock_id AS "clockId" FROM subscriptions WHERE key = $1',
      [key],
    );
    if (row === undefined) throw new Error(`no subscription ${key}`);
    return { id: row.merchantId, clockId: row.clockId };
  };
  return {
    store: deliveryStore(driver),
    isSingle: false,
    subscribe: (key, clockId = "live") =>
      driver.transaction((tx) =>
        insertSubscription(
          tx,
          { id: `mer_${clockId}`, clockId },
          {
            key,
            url: `https://${key}.example/`,
            selection: { include: NONE, exclude: NONE },
            status: "ACTIVE",
            secret: { text: "", keyId: "" },
            createdAt: 0,
          },
        ),
      ),
    write: async (key, id, dueAt) => {
      const merchant = await ownerOf(key);
      await driver.transaction(async (tx) => {
        await insertEvent(tx, merchant, {
          id,
          type: "t",
          category: "c",
          payload: id,
          createdAt: 0,
        });
        await insertDeliveries(tx, merchant, [
          { id, eventId: id, subscriptionKey: key, createdAt: 0, dueAt },
        ]);
      });
    },
    replay: async (id, at) => {
      const requeue = { merchantId: "mer_live", askedBy: "test", at, limit: 1, after: "" };
      const what = { kind: "delivery", id } as const;
      await driver.transaction((tx) => requeueDeliveries(tx, { ...requeue, what }));
    },
    pause: async (key) => {
      await write("UPDATE subscriptions SET status = 'PAUSED' WHERE key = $1", [key]);
    },
    resume: async (key) => {
      await driver.transaction((tx) =>
        setSubscriptionStatus(tx, { key, status: "ACTIVE", askedBy: "test", at: 0 }),
      );
    },
    close: async (key) => {
      await write("UPDATE subscriptions SET status = 'CLOSED' WHERE key = $1", [key]);
      await write(
        "UPDATE deliveries SET state = 'dropped', next_at = NULL WHERE subscription_key = $1 AND next_at IS NOT NULL",
        [key],
      );
    },
    delivery: async (id) => {
      const [row] = await driver.query<NonNullable<Awaited<ReturnType<OpenQueue["delivery"]>>>>(
        'SELECT state, next_at AS "nextAt", attempts FROM deliveries WHERE id = $1',
        [id],
      );
      return row && { ...row };
    },
  };
}

async function openModel(isSingle: boolean): Promise<OpenQueue> {
  const store = new ModelStore({ isSingle });
  store.clocks.set("clk_1", CLOCK_NOW);
  return {
    store,
    isSingle,
    subscribe: async (key, clockId = "live") =>
      store.subscribe({
        key,
        merchantId: `mer_${clockId}`,
        clockId,
        url: `https://${key}.example/`,
        secret: { keyId: "", text: "" },
      }),
    write: async (key, id, nextAt) => store.write({ id, key, nextAt }),
    replay: async (id, at) => void store.replay(id, at),
    pause: async (key) => store.pause(key),
    resume: async (key) => store.resume(key),
    close: async (key) => store.close(key),
    delivery: async (id) => {
      const row = store.deliveries.get(id);
      return row && { state: row.state, nextAt: row.nextAt, attempts: row.attempts };
    },
  };
}

describe("the delivery queue", () => {
  describe.each([false, true])("of the simulation's model, for one process: %s", (isSingle) => {
    deliveryStoreSuite(() => openModel(isSingle));
  });
  onStores([sqlite, sqliteWithThread, postgres], ({ open }) => {
    deliveryStoreSuite(async () => openTables(await open()));
  });
  onStores([postgres], ({ open }) => {
    it("gives each lease to one of two members that take all at once", async () => {
      const queue = await openTables(await open());
      const { store } = queue;
      const all = Array.from({ length: 20 }, (_, index) => `key_${index}`).toSorted();
      for (const key of all) await queue.subscribe(key);
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
    it("frees the leases of earlier processes once all of them have ended, and not before", async () => {
      const file = await create();
      const [driverA, driverB, driverC] = [await open(file), await open(file), await open(file)];
      const a = await openTables(driverA);
      await a.subscribe("one");
      await a.store.join("a");
      expect(await a.store.take("a", { keys: ["one"] })).toHaveLength(1);
      const b = deliveryStore(driverB);
      await b.join("b");
      expect(await b.take("b", { keys: ["one"] })).toEqual([]);
      await driverA.close();
      const c = deliveryStore(driverC);
      await c.join("c");
      expect(await c.take("c", { keys: ["one"] })).toEqual([]);
      await Promise.all([driverB.close(), driverC.close()]);
      const d = deliveryStore(await open(file));
      await d.join("d");
      expect(await d.take("d", { keys: ["one"] })).toHaveLength(1);
      expect((await d.beat({ id: "d", beat: 1, now: 0 })).members).toMatchObject([{ id: "d" }]);
    });
  });
});
