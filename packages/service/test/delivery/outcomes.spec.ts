import { describe, expect, it } from "vitest";
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
});
