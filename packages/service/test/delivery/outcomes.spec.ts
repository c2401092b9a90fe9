import { describe, expect, it } from "vitest";
import { ManualClock } from "../manual-clock.ts";
import { onStores, postgres, sqlite } from "../store/stores.ts";
import {
  CLOCK_START,
  heldTransport,
  queueOf,
  REAL_START,
  SOON,
  timeout,
  type Queue,
} from "./queue.ts";
import { replayDeliveries, type ReplayOutcome } from "../../src/delivery/operator.ts";
import { listAudit } from "../../src/store/tables/audit.ts";
import type { Replayed } from "../../src/store/tables/replays.ts";

/** Attempts what is due, of which each attempt gets one of the answers, in their order, after 20 ms. */
async function attempt(queue: Queue, answers: Parameters<Held["answer"]>[0][]): Promise<void> {
  const held = heldTransport();
  const clock = new ManualClock(REAL_START, { isStill: true });
  const drained = queue.engine(held.transport, { clock }).drain("clk_1");
  await expect.poll(held.inFlight, SOON).toBe(answers.length);
  clock.advance(20);
  for (const answer of answers) held.answer(answer);
  await drained;
}
type Held = ReturnType<typeof heldTransport>;

onStores([sqlite, postgres], ({ open }) => {
  describe("a recorded attempt", () => {
    it("stores the delivery's state and counts the subscription's failure", async () => {
      const queue = await queueOf(await open(), "sub_1");
      const id = await queue.enqueue("sub_1");
      await attempt(queue, [503]);
      expect(await queue.deliveries()).toEqual([
        { id, state: "waiting", attempts: 1, next_at: CLOCK_START + 5000 },
      ]);
      expect(await queue.driver.query("SELECT * FROM attempts")).toEqual([
        {
          delivery_id: id,
          number: 1,
          started_at: REAL_START,
          duration_ms: 20,
          status: 503,
          error: null,
          answer: "",
        },
      ]);
      expect(await queue.subscription("sub_1")).toEqual([
        {
          status: "ACTIVE",
          consecutive_failures: 1,
          failing_since: CLOCK_START,
          last_success_at: null,
        },
      ]);
    });

    it("counts failures in the order in which the attempts of one group ended", async () => {
      const queue = await queueOf(await open(), "sub_1");
      await queue.publish(4, ["sub_1"]);
      await attempt(queue, [500, 204, 500, timeout]);
      expect(await queue.subscription("sub_1")).toMatchObject([
        { consecutive_failures: 2, failing_since: CLOCK_START, last_success_at: CLOCK_START },
      ]);
    });
  });
});

const end = (queue: Queue, id: string, state: string): Promise<unknown> =>
  queue.write("UPDATE deliveries SET state = $2, next_at = NULL, attempts = 10 WHERE id = $1", [
    id,
    state,
  ]);

const replay = (queue: Queue, what: Replayed): Promise<ReplayOutcome> =>
  replayDeliveries(queue, { what, askedBy: "operator", merchantId: "mer_1" });
const replayed = (count: number): ReplayOutcome => ({ ok: true, replayed: count });

onStores([sqlite, postgres], ({ open }) => {
  describe("a replay", () => {
    it("of a subscription includes all completed deliveries, in batches, and writes each to the audit log", async () => {
      const queue = await queueOf(await open(), "sub_1", "sub_2");
      await queue.publish(600, ["sub_1"]);
      const other = await queue.enqueue("sub_2");
      await queue.write("UPDATE deliveries SET state = 'delivered', next_at = NULL");
      expect(await replay(queue, { kind: "subscription", id: "sub_1" })).toEqual(replayed(600));
      const ended = (await queue.deliveries()).filter(({ state }) => state === "delivered");
      expect(ended.map(({ id }) => id)).toEqual([other]);
      const log = await listAudit(queue.driver, { limit: 1000 });
      expect(log).toHaveLength(600);
      const entry = { merchantId: "mer_1", askedBy: "operator", state: "delivered", attempts: 0 };
      expect(log[0]).toMatchObject({ ...entry, what: "delivery.replay", at: CLOCK_START });
    });

    it("of one delivery finds only the merchant's, and none of a closed subscription", async () => {
      const queue = await queueOf(await open(), "sub_1");
      await queue.subscribe("sub_live", { clockId: "live" });
      const own = await queue.enqueue("sub_1");
      const other = await queue.enqueue("sub_live");
      for (const id of [own, other]) await end(queue, id, "exhausted");
      expect(await replay(queue, { kind: "delivery", id: other })).toMatchObject({
        code: "DELIVERY_NOT_FOUND",
      });
      await queue.write("UPDATE subscriptions SET status = 'CLOSED' WHERE key = 'sub_1'");
      const closed = { code: "SUBSCRIPTION_CLOSED" };
      expect(await replay(queue, { kind: "delivery", id: own })).toMatchObject(closed);
      expect(await replay(queue, { kind: "subscription", id: "sub_1" })).toMatchObject(closed);
      const unknown = await replay(queue, { kind: "subscription", id: "sub_live" });
      expect(unknown).toMatchObject({ code: "SUBSCRIPTION_NOT_FOUND" });
      await queue.write("UPDATE subscriptions SET status = 'PAUSED' WHERE key = 'sub_1'");
      expect(await replay(queue, { kind: "delivery", id: own })).toEqual(replayed(1));
    });
  });
});
