import { describe, expect, it } from "vitest";
import {
  replayDeliveries,
  replayForOperator,
  resumeForOperator,
} from "../../src/delivery/operator.ts";
import { listReplays, listTrail, type Replayed } from "../../src/store/tables/replays.ts";
import { onStores, postgres, sqlite } from "../store/stores.ts";
import { CLOCK_START, queueOf, type Queue } from "./queue.ts";

const end = (queue: Queue, id: string, state: string): Promise<unknown> =>
  queue.write("UPDATE deliveries SET state = $2, next_at = NULL, attempts = 10 WHERE id = $1", [
    id,
    state,
  ]);

const replay = (queue: Queue, what: Replayed): Promise<number> => {
  const merchant = { id: "mer_1", clockId: "clk_1" };
  return replayDeliveries(queue, merchant, { what, askedBy: "operator" });
};

onStores([sqlite, postgres], ({ open }) => {
  describe("a replay", () => {
    it("of what failed since an instant leaves older, delivered and other merchants' deliveries", async () => {
      const queue = await queueOf(await open(), "sub_1");
      await queue.subscribe("sub_live", { clockId: "live" });
      const old = await queue.enqueue("sub_1", { nextAt: CLOCK_START - 1 });
      const failed = await queue.enqueue("sub_1");
      const delivered = await queue.enqueue("sub_1");
      const other = await queue.enqueue("sub_live");
      for (const id of [old, failed, other]) await end(queue, id, "exhausted");
      await end(queue, delivered, "delivered");
      expect(await replay(queue, { kind: "failed", since: CLOCK_START })).toBe(1);
      const waiting = (await queue.deliveries()).filter(({ state }) => state === "waiting");
      expect(waiting).toMatchObject([{ id: failed, attempts: 10, next_at: CLOCK_START }]);
      expect(await replay(queue, { kind: "failed", since: CLOCK_START })).toBe(0);
    });

    it("of a subscription takes all that ended, in batches, and writes each into the audit log", async () => {
      const queue = await queueOf(await open(), "sub_1", "sub_2");
      await queue.publish(600, ["sub_1"]);
      const other = await queue.enqueue("sub_2");
      await queue.write("UPDATE deliveries SET state = 'delivered', next_at = NULL");
      expect(await replay(queue, { kind: "subscription", key: "sub_1" })).toBe(600);
      const ended = (await queue.deliveries()).filter(({ state }) => state === "delivered");
      expect(ended.map(({ id }) => id)).toEqual([other]);
      const log = await listReplays(queue.driver, { merchantId: "mer_1", limit: 1000 });
      expect(log).toHaveLength(600);
      const entry = { askedBy: "operator", state: "delivered", attempts: 0, at: CLOCK_START };
      expect(log[0]).toMatchObject(entry);
      expect(await listReplays(queue.driver, { merchantId: "mer_live", limit: 10 })).toEqual([]);
    });

    it("of one delivery finds only the merchant's own, and nothing of a closed subscription", async () => {
      const queue = await queueOf(await open(), "sub_1");
      await queue.subscribe("sub_live", { clockId: "live" });
      const own = await queue.enqueue("sub_1");
      const other = await queue.enqueue("sub_live");
      for (const id of [own, other]) await end(queue, id, "exhausted");
      expect(await replay(queue, { kind: "delivery", id: other })).toBe(0);
      await queue.write("UPDATE subscriptions SET status = 'CLOSED' WHERE key = 'sub_1'");
      expect(await replay(queue, { kind: "delivery", id: own })).toBe(0);
      await queue.write("UPDATE subscriptions SET status = 'PAUSED' WHERE key = 'sub_1'");
      expect(await replay(queue, { kind: "delivery", id: own })).toBe(1);
    });

    it("by an operator needs no merchant, and a resume is written into the same audit log", async () => {
      const queue = await queueOf(await open(), "sub_1");
      const id = await queue.enqueue("sub_1");
      await end(queue, id, "exhausted");
      await queue.write("UPDATE subscriptions SET status = 'PAUSED', consecutive_failures = 7");
      const askedBy = "anna";
      const what = { kind: "failed", since: 0 } as const;
      expect(await replayForOperator(queue, { what, askedBy })).toEqual({ ok: true, replayed: 1 });
      expect(await resumeForOperator(queue, { key: "sub_1", askedBy })).toEqual({ ok: true });
      const entry = { merchantId: "mer_1", askedBy };
      expect(await listTrail(queue.driver, { limit: 10 })).toMatchObject([
        { ...entry, what: "delivery.replay", subject: id, state: "exhausted", attempts: 10 },
        { ...entry, what: "subscription.resume", subject: "sub_1", state: "PAUSED", attempts: 7 },
      ]);
    });
  });
});
