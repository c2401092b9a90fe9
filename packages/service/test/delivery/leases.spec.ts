import { describe, expect, it } from "vitest";
import { DueClock } from "../../src/clock.ts";
import { Leases } from "../../src/delivery/leases.ts";
import { deliveryStore } from "../../src/store/tables/delivery-queue.ts";
import { failCommit, hookedDriver, type DriverHooks } from "../hooked-driver.ts";
import { onStores, postgres, sqlite } from "../store/stores.ts";
import {
  answered,
  fakeTransport,
  heldTransport,
  openQueue,
  policy,
  queueOf,
  SOON,
  type Queue,
} from "./queue.ts";

const live = { clockId: "live" };

/** A queue whose live subscriptions have so many deliveries each. */
async function openLive(
  queue: Queue,
  subscriptions: number,
  deliveries: number,
): Promise<string[]> {
  const keys = Array.from({ length: subscriptions }, (_, number) => `sub_${number}`);
  for (const key of keys) await queue.subscribe(key, live);
  for (const key of keys) await queue.publish(deliveries, [key]);
  return keys;
}

const members = (queue: Queue): Promise<{ id: string; endpoints: number }[]> =>
  queue.driver.query(
    `SELECT id, (SELECT CAST(count(*) AS bigint) FROM endpoint_leases WHERE member = id) AS endpoints
     FROM delivery_members ORDER BY id`,
  );

onStores([sqlite, postgres], ({ open }) => {
  describe("a process that delivers", () => {
    it("begins anew when another process has removed it", async () => {
      const queue = await queueOf(await open());
      await openLive(queue, 1, 1);
      const transport = fakeTransport(() => answered(204));
      queue.engine(transport, { id: "a" });
      await expect.poll(() => queue.states(), SOON).toEqual(["delivered"]);
      await queue.write("DELETE FROM delivery_members");
      await queue.enqueue("sub_0");
      queue.clock.advance(5000);
      await expect.poll(() => transport.posts.length, SOON).toBe(2);
      await expect.poll(() => members(queue), SOON).toEqual([{ id: "a~2", endpoints: 1 }]);
    });
  });
});

it("a lease covers an attempt that starts at least its deadline and a second before the lease ends", async () => {
  const queue = await openQueue();
  const clock = { now: () => 0, elapsed: () => 7000, sleep: async () => {} };
  const ports = { store: queue.store, clock, dueClock: new DueClock(clock) };
  const leases = new Leases("a", ports, policy, {});
  expect(leases.covers(7000)).toBe(false);
  await leases.keep(0);
  const last = 7000 + policy.leaseMs - policy.deadlineMs - 1000;
  expect([leases.covers(last), leases.covers(last + 1)]).toEqual([true, false]);
});

onStores([sqlite], ({ open }) => {
  it("a process on SQLite goes on at once with what a killed one has left", async () => {
    const queue = await queueOf(await open());
    await openLive(queue, 2, 1);
    const hooks: DriverHooks = {};
    const { transport, inFlight } = heldTransport();
    queue.engine(transport, { store: deliveryStore(hookedDriver(queue.driver, hooks)) });
    await expect.poll(inFlight, SOON).toBe(2);
    // As far as the database can see, it is gone.
    hooks.begin = failCommit;
    const successor = fakeTransport(() => answered(204));
    queue.engine(successor);
    await expect.poll(() => successor.posts.length, SOON).toBe(2);
  });
});

onStores([postgres], ({ open }) => {
  describe("two processes of one database", () => {
    it("share the endpoints, and never have one delivery in flight in both", async () => {
      const queue = await queueOf(await open());
      const keys = await openLive(queue, 20, 10);
      const posted = new Map<string, number>();
      const by = { a: 0, b: 0 };
      const transportOf = (name: "a" | "b") =>
        fakeTransport(async ({ headers }) => {
          const id = headers["webhook-id"] ?? "";
          posted.set(id, (posted.get(id) ?? 0) + 1);
          by[name] += 1;
          await queue.write("SELECT 1");
          return answered(204);
        });
      const engines = [
        queue.engine(transportOf("a"), { id: "a" }),
        queue.engine(transportOf("b"), { id: "b" }),
      ];
      const counts = async () => (await members(queue)).map(({ endpoints }) => endpoints);
      let events = 200;
      const shared = async (): Promise<boolean> => {
        // They beat, and notice who has more than a fair share.
        queue.clock.advance(5000);
        await queue.publish(1, keys);
        events += 1;
        for (const engine of engines)
          engine.onWork(keys.map((key) => ({ key, at: queue.clock.now() })));
        const [a = 0, b = 0] = await counts();
        return a >= 9 && b >= 9 && a + b === 20;
      };
      await expect.poll(shared, { timeout: 20_000, interval: 100 }).toBe(true);
      const waiting = async () => new Set(await queue.states());
      await expect.poll(waiting, SOON).toEqual(new Set(["delivered"]));
      expect(by.a).toBeGreaterThan(0);
      expect(by.b).toBeGreaterThan(0);
      expect(posted.size).toBe(events);
      expect([...posted.values()].filter((times) => times !== 1 && times !== 20)).toEqual([]);
    });

    it("take over the endpoints of a killed one after its lease, not before, and its late answers change nothing", async () => {
      const queue = await queueOf(await open());
      await openLive(queue, 3, 1);
      const hooks: DriverHooks = {};
      const killed = heldTransport();
      const store = deliveryStore(hookedDriver(queue.driver, hooks));
      queue.engine(killed.transport, { id: "killed", store });
      await expect.poll(killed.inFlight, SOON).toBe(3);
      hooks.begin = failCommit;
      const transport = fakeTransport(() => answered(204));
      queue.engine(transport, { id: "successor" });
      await expect.poll(async () => (await members(queue)).length, SOON).toBe(2);
      const from = queue.clock.elapsed();
      const takenOver = (): boolean => {
        if (transport.posts.length === 0) queue.clock.advance(1000);
        return transport.posts.length > 0;
      };
      await expect.poll(takenOver, { timeout: 20_000, interval: 20 }).toBe(true);
      expect(queue.clock.elapsed() - from).toBeGreaterThan(policy.leaseMs - 1000);
      await expect.poll(() => queue.states(), SOON).toEqual(Array(3).fill("delivered"));
      hooks.begin = undefined;
      while (killed.inFlight() > 0) killed.answer(500);
      await queue.passTurns();
      expect((await queue.deliveries()).map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
      expect((await queue.attempts()).map(({ status }) => status)).toEqual([204, 204, 204]);
      expect(transport.posts).toHaveLength(3);
    });
  });
});
