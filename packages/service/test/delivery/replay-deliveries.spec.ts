import { describe, expect, it } from "vitest";
import { replayForOperator, resumeForOperator } from "../../src/delivery/operator.ts";
import { replayDeliveries } from "../../src/delivery/replay-deliveries.ts";
import { listTrail } from "../../src/store/operations/deliveries/list-trail.ts";
import { listReplays } from "../../src/store/operations/deliveries/list-replays.ts";
import type { Replayed } from "../../src/store/operations/deliveries/requeue-deliveries.ts";
import { onStores, postgres, sqlite } from "../store/stores.ts";
import { CLOCK_START, fakeTransport, answered, queueOf, type Queue } from "./queue.ts";

const merchant = { id: "mer_1", clockId: "clk_1" };

async function end(queue: Queue, id: string, state: string): Promise<void> {
  await queue.write(
    "UPDATE deliveries SET state = $2, next_at = NULL, attempts = 10 WHERE id = $1",
    [id, state],
  );
}

const replay = (queue: Queue, what: Replayed): Promise<number> =>
  replayDeliveries(queue.ports(fakeTransport(() => answered(204))), merchant, {
    what,
    askedBy: "operator",
  });

onStores([sqlite, postgres], ({ open }) => {
  describe("a replay", () => {
    it("of all that failed since an instant leaves the older ones, the delivered ones and other merchants'", async () => {
      const queue = await queueOf(await open());
      await queue.subscribe("sub_1");
      await queue.subscribe("sub_live", { clockId: "live" });
      const [old, failed, delivered] = [
        await queue.enqueue("sub_1", { nextAt: CLOCK_START - 1 }),
        await queue.enqueue("sub_1"),
        await queue.enqueue("sub_1"),
      ];
      const other = await queue.enqueue("sub_live", { clockId: "live" });
      for (const id of [old, failed, other]) await end(queue, id, "exhausted");
      await end(queue, delivered, "delivered");
      expect(await replay(queue, { kind: "failed", since: CLOCK_START })).toBe(1);
      const waiting = (await queue.deliveries()).filter(({ state }) => state === "waiting");
      expect(waiting).toMatchObject([{ id: failed, attempts: 10, next_at: CLOCK_START }]);
      expect(await replay(queue, { kind: "failed", since: CLOCK_START })).toBe(0);
    });

    it("of a subscription takes all that have ended, in batches, and writes each into the audit trail", async () => {
      const queue = await queueOf(await open());
      await queue.subscribe("sub_1");
      await queue.subscribe("sub_2");
      await queue.publish(600, ["sub_1"]);
      const other = await queue.enqueue("sub_2");
      await queue.write("UPDATE deliveries SET state = 'delivered', next_at = NULL", []);
      expect(await replay(queue, { kind: "subscription", key: "sub_1" })).toBe(600);
      const ended = (await queue.deliveries()).filter(({ state }) => state === "delivered");
      expect(ended.map(({ id }) => id)).toEqual([other]);
      const trail = await listReplays(queue.driver, { merchantId: "mer_1", limit: 1000 });
      expect(trail).toHaveLength(600);
      expect(trail[0]).toMatchObject({
        askedBy: "operator",
        state: "delivered",
        attempts: 0,
        at: CLOCK_START,
      });
      expect(await listReplays(queue.driver, { merchantId: "mer_live", limit: 10 })).toEqual([]);
    });

    it("of one delivery knows only the merchant's own, and nothing of a closed subscription", async () => {
      const queue = await queueOf(await open());
      await queue.subscribe("sub_1");
      await queue.subscribe("sub_live", { clockId: "live" });
      const own = await queue.enqueue("sub_1");
      const other = await queue.enqueue("sub_live", { clockId: "live" });
      for (const id of [own, other]) await end(queue, id, "exhausted");
      expect(await replay(queue, { kind: "delivery", id: other })).toBe(0);
      await queue.write("UPDATE subscriptions SET status = 'CLOSED' WHERE key = 'sub_1'", []);
      expect(await replay(queue, { kind: "delivery", id: own })).toBe(0);
      await queue.write("UPDATE subscriptions SET status = 'PAUSED' WHERE key = 'sub_1'", []);
      expect(await replay(queue, { kind: "delivery", id: own })).toBe(1);
    });

    it("for an operator needs no merchant, and a resume is written beside it", async () => {
      const queue = await queueOf(await open());
      await queue.subscribe("sub_1");
      const id = await queue.enqueue("sub_1");
      await end(queue, id, "exhausted");
      await queue.write(
        "UPDATE subscriptions SET status = 'PAUSED', consecutive_failures = 7 WHERE key = $1",
        ["sub_1"],
      );
      const ports = queue.ports(fakeTransport(() => answered(204)));
      const askedBy = "anna";
      const what = { kind: "failed", since: 0 } as const;
      expect(await replayForOperator(ports, { what, askedBy })).toEqual({ ok: true, replayed: 1 });
      expect(await resumeForOperator(ports, { key: "sub_1", askedBy })).toEqual({ ok: true });
      expect(await listTrail(queue.driver, { limit: 10 })).toMatchObject([
        { what: "replay", id, merchantId: "mer_1", askedBy, state: "exhausted", attempts: 10 },
        { what: "resume", id: "sub_1", merchantId: "mer_1", askedBy, state: "PAUSED", attempts: 7 },
      ]);
    });
  });
});
