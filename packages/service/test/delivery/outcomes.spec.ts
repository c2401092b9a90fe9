import { describe, expect, it } from "vitest";
import { ManualClock } from "../manual-clock.ts";
import { onStores, postgres, sqlite } from "../store/stores.ts";
import {
  answered,
  CLOCK_START,
  fakeTransport,
  heldTransport,
  queueOf,
  REAL_START,
  timeout,
  type Queue,
} from "./queue.ts";
import { replayDeliveries } from "../../src/delivery/operator.ts";

/** Attempts what is due, of which each attempt gets one of the answers, in their order, after 20 ms. */
async function attempt(queue: Queue, answers: Parameters<Held["answer"]>[0][]): Promise<void> {
  const held = heldTransport();
  const clock = new ManualClock(REAL_START, { isStill: true });
  const drained = queue.engine(held.transport, { clock }).drain("clk_1");
  await expect.poll(held.inFlight).toBe(answers.length);
  clock.advance(20);
  for (const answer of answers) held.answer(answer);
  await drained;
}
type Held = ReturnType<typeof heldTransport>;

onStores([sqlite, postgres], ({ open }) => {
  describe("a recorded attempt", () => {
    it("is stored with its time, duration and answer, and the delivery's next attempt", async () => {
      const queue = await queueOf(await open(), "sub_1");
      const id = await queue.enqueue("sub_1");
      await attempt(queue, [503]);
      const times = { started_at: REAL_START, duration_ms: 20 };
      expect(await queue.driver.query("SELECT * FROM attempts")).toEqual([
        { delivery_id: id, number: 1, ...times, status: 503, error: null, answer: "" },
      ]);
      expect(await queue.deliveries()).toEqual([
        { id, state: "waiting", attempts: 1, next_at: CLOCK_START + 5000 },
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

  it("a replay of a subscription, also of a paused one, includes all completed deliveries, in batches", async () => {
    const queue = await queueOf(await open(), "sub_1", "sub_2");
    await queue.publish(600, ["sub_1"]);
    const other = await queue.enqueue("sub_2");
    await queue.write("UPDATE deliveries SET state = 'delivered', next_at = NULL");
    await queue.write("UPDATE subscriptions SET status = 'PAUSED' WHERE key = 'sub_1'");
    const what = { kind: "subscription", id: "sub_1" } as const;
    const order = { what, merchantId: "mer_1" };
    const { driver, clock } = queue;
    expect(await replayDeliveries({ driver, clock, onWork: () => {} }, order)).toEqual({
      ok: true,
      replayed: 600,
    });
    const ended = (await queue.deliveries()).filter(({ state }) => state === "delivered");
    expect(ended.map(({ id }) => id)).toEqual([other]);
  });
});

onStores([postgres], ({ open }) => {
  it("two processes that share a queue attempt each delivery once", async () => {
    const queue = await queueOf(await open());
    for (const key of ["sub_1", "sub_2"]) await queue.subscribe(key, { clockId: "live" });
    await queue.publish(100, ["sub_1", "sub_2"]);
    const processes = [0, 1].map(() => fakeTransport(() => answered(204)));
    for (const transport of processes) queue.engine(transport);
    await expect.poll(async () => new Set(await queue.states())).toEqual(new Set(["delivered"]));
    const posted = processes.flatMap(({ posts }) =>
      posts.map(({ url, eventId }) => `${url.host} ${eventId}`),
    );
    expect([posted.length, new Set(posted).size]).toEqual([200, 200]);
  });
});
