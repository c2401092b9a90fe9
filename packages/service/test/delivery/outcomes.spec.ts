import { describe, expect, it } from "vitest";
import { replayDeliveries } from "../../src/delivery/operator.ts";
import { onStores, postgres, sqlite } from "../store/stores.ts";
import { CLOCK_START, queueOf, REAL_START, timeout } from "./queue.ts";

const DAY = 86_400_000;

onStores([sqlite, postgres], ({ open }) => {
  describe("a recorded attempt", () => {
    it("stores the delivery's state and counts the subscription's failure", async () => {
      const queue = await queueOf(await open(), "sub_1");
      const id = await queue.enqueue("sub_1");
      await queue.complete([[await queue.dueOne(), 503]]);
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

    it("leaves a delivery dropped that was dropped during the attempt, unless the attempt succeeded", async () => {
      const queue = await queueOf(await open(), "sub_1");
      for (const status of [500, 204]) {
        await queue.enqueue("sub_1");
        const one = await queue.dueOne();
        await queue.write("UPDATE deliveries SET state = 'dropped', next_at = NULL WHERE id = $1", [
          one.delivery.id,
        ]);
        await queue.complete([[one, status]]);
      }
      expect(await queue.deliveries()).toMatchObject([
        { state: "dropped", next_at: null },
        { state: "delivered", next_at: null },
      ]);
      expect(await queue.attempts()).toHaveLength(2);
    });

    it("counts failures in the order in which the attempts of one group ended", async () => {
      const queue = await queueOf(await open(), "sub_1");
      await queue.publish(4, ["sub_1"]);
      const answers = [500, 204, 500, timeout];
      const due = await queue.due();
      await queue.complete(due.map((one, at) => [one, answers[at] ?? 500]));
      expect(await queue.subscription("sub_1")).toMatchObject([
        { consecutive_failures: 2, failing_since: CLOCK_START, last_success_at: CLOCK_START },
      ]);
    });

    it("[P-EVENT-GONE] B13 closes the subscription on 410 and drops all that waits for it", async () => {
      const queue = await queueOf(await open(), "sub_1", "sub_2");
      await queue.enqueue("sub_1");
      const one = await queue.dueOne();
      await queue.enqueue("sub_1");
      await queue.enqueue("sub_2");
      await queue.complete([[one, 410]]);
      expect(await queue.deliveries()).toMatchObject([
        { state: "dropped", next_at: null },
        { state: "dropped", next_at: null },
        { state: "waiting", next_at: CLOCK_START },
      ]);
      expect(await queue.subscription("sub_1")).toMatchObject([{ status: "CLOSED" }]);
      expect(await queue.subscription("sub_2")).toMatchObject([{ status: "ACTIVE" }]);
    });

    it("[P-EVENT-PAUSE] B13 pauses a subscription after enough failures in a row and enough time, not after either", async () => {
      const queue = await queueOf(await open(), "sub_1");
      const failAt = async (at: number): Promise<string[]> => {
        await queue.setInstant(at);
        await queue.enqueue("sub_1", { nextAt: at });
        const one = await queue.dueOne();
        await queue.write("UPDATE deliveries SET state = 'dropped', next_at = NULL");
        const pause = { failures: 3, afterMs: DAY };
        return [...(await queue.complete([[one, timeout]], { pause })).paused];
      };
      expect(await failAt(CLOCK_START)).toEqual([]);
      expect(await failAt(CLOCK_START + DAY)).toEqual([]);
      expect(await failAt(CLOCK_START + DAY + 1)).toEqual(["sub_1"]);
      await queue.write(
        "UPDATE subscriptions SET status = 'ACTIVE', consecutive_failures = 0, failing_since = NULL",
      );
      const again = CLOCK_START + 2 * DAY;
      for (const at of [0, 1, DAY - 1]) expect(await failAt(again + at)).toEqual([]);
      expect(await failAt(again + DAY)).toEqual(["sub_1"]);
      expect(await queue.subscription("sub_1")).toMatchObject([
        { status: "PAUSED", consecutive_failures: 4, failing_since: again },
      ]);
    });
  });

  // A connection that ends during COMMIT says nothing of the transaction, so it is written again.
  describe("an attempt that is recorded twice", () => {
    it("leaves a replay that was requested in between", async () => {
      const queue = await queueOf(await open(), "sub_1");
      await queue.enqueue("sub_1");
      const one = await queue.dueOne();
      await queue.complete([[one, 204]]);
      const [merchant, what] = [
        { id: "mer_1", clockId: "clk_1" },
        { kind: "delivery", id: "dlv_1" } as const,
      ];
      await replayDeliveries(queue, merchant, { what, askedBy: "operator" });
      expect((await queue.complete([[one, 204]])).completed).toEqual([]);
      expect(await queue.deliveries()).toMatchObject([
        { state: "waiting", next_at: CLOCK_START, attempts: 1 },
      ]);
    });

    it("counts as one failure and keeps the time of the retry", async () => {
      const queue = await queueOf(await open(), "sub_1");
      await queue.enqueue("sub_1");
      const one = await queue.dueOne();
      await queue.complete([[one, 500]]);
      await queue.setInstant(CLOCK_START + 3000);
      await queue.complete([[one, 500]]);
      expect(await queue.subscription("sub_1")).toMatchObject([{ consecutive_failures: 1 }]);
      expect(await queue.deliveries()).toMatchObject([
        { state: "waiting", next_at: CLOCK_START + 5000 },
      ]);
      expect(await queue.attempts()).toHaveLength(1);
    });
  });

  describe("two processes that made the same attempt", () => {
    it("record only the result that comes first, also with others in one group", async () => {
      const queue = await queueOf(await open(), "sub_1");
      await queue.publish(2, ["sub_1"]);
      const [first, second] = await queue.due();
      if (first === undefined || second === undefined) throw new Error("nothing is due");
      await queue.complete([[first, 204]]);
      const before = await queue.subscription("sub_1");
      expect((await queue.complete([[first, 500]])).completed).toEqual([]);
      expect(await queue.subscription("sub_1")).toEqual(before);
      const { completed } = await queue.complete([
        [first, 410],
        [second, 204],
      ]);
      expect(completed.map(({ attempt }) => attempt.delivery.id)).toEqual(["dlv_2"]);
      expect(await queue.deliveries()).toMatchObject([
        { state: "delivered", attempts: 1 },
        { state: "delivered", attempts: 1 },
      ]);
      expect(await queue.subscription("sub_1")).toMatchObject([{ status: "ACTIVE" }]);
      expect(await queue.attempts()).toMatchObject([{ status: 204 }, { status: 204 }]);
    });
  });

  it("due deliveries are read by the clock of their namespace, those that waited longest first", async () => {
    const queue = await queueOf(await open(), "sub_1");
    for (const wait of [0, 3, 1, -1, 2, 0])
      await queue.enqueue("sub_1", { nextAt: CLOCK_START - wait });
    const ids = (await queue.due()).map(({ delivery }) => delivery.id);
    expect(ids).toEqual(["dlv_2", "dlv_5", "dlv_3", "dlv_1", "dlv_6"]);
  });
});
