import { describe, expect, it } from "vitest";
import { replayDeliveries } from "../../src/delivery/replay-deliveries.ts";
import { releaseDeliveries } from "../../src/store/operations/deliveries/release-deliveries.ts";
import { onStores, postgres, sqlite } from "../store/stores.ts";
import { CLOCK_START, policy, queueOf, REAL_START, timeout, type Queue } from "./queue.ts";

const STEPS = policy.schedule.steps;
const merchant = { id: "mer_1", clockId: "clk_1" };

/** Workers that claim the one delivery and are killed before anything of the attempt is written. */
async function claimAndDie(queue: Queue, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    await queue.claimOne();
    queue.realNow += policy.leaseMs;
  }
}

const records = (queue: Queue): Promise<unknown[]> =>
  queue.driver.query("SELECT number, status FROM attempts ORDER BY number");

onStores([sqlite, postgres], ({ open }) => {
  /** A queue with one delivery. */
  async function openOne(): Promise<Queue> {
    const queue = await queueOf(await open(), "sub_1");
    await queue.enqueue("sub_1", { payload: '{"amount":10.50}' });
    return queue;
  }

  describe("a claimed delivery", () => {
    it("belongs to its worker, with a number and the payload, until the lease ends in real time", async () => {
      const queue = await openOne();
      expect(await queue.claim()).toMatchObject([
        {
          id: "dlv_1",
          eventId: "evt_1",
          attempt: 1,
          payload: '{"amount":10.50}',
          leasedUntil: REAL_START + 60_000,
          subscription: { key: "sub_1", url: "https://sub_1.example/hooks", host: "sub_1.example" },
        },
      ]);
      const free = await queue.enqueue("sub_1");
      expect((await queue.claim()).map(({ id }) => id)).toEqual([free]);
      queue.realNow += policy.leaseMs - 1;
      expect(await queue.claim()).toEqual([]);
      queue.realNow += 1;
      expect((await queue.claim()).map(({ attempt }) => attempt)).toEqual([2, 2]);
    });

    it("takes no result of a worker whose lease another one has taken over, alone or in one group", async () => {
      const queue = await openOne();
      const stale = await queue.claimOne();
      queue.realNow += policy.leaseMs;
      const current = await queue.claimOne();
      const before = [await queue.deliveries(), await queue.subscription("sub_1")];
      expect((await queue.settle([[stale, 204]])).settled).toEqual([]);
      expect([await queue.deliveries(), await queue.subscription("sub_1")]).toEqual(before);
      const { settled } = await queue.settle([
        [stale, 204],
        [current, timeout],
      ]);
      expect(settled.map(({ attempt }) => attempt.claim.attempt)).toEqual([2]);
      expect(await queue.deliveries()).toMatchObject([{ state: "waiting", attempts: 2 }]);
      expect(await queue.attempts()).toEqual([
        { delivery_id: "dlv_1", number: 2, status: null, error: "CS_ATTEMPT_TIMEOUT" },
      ]);
      expect(await queue.subscription("sub_1")).toMatchObject([{ consecutive_failures: 1 }]);
    });

    it("keeps its whole retry schedule when workers are killed, or give it back, before the end of an attempt", async () => {
      const queue = await openOne();
      const before = await queue.subscription("sub_1");
      const waits: number[] = [];
      for (const _ of STEPS) {
        await claimAndDie(queue, 1);
        const { id, attempt } = await queue.claimOne();
        await queue.driver.transaction((tx) =>
          releaseDeliveries(tx, [{ id, attempt, begun: true }]),
        );
        if (waits.length === 0) expect(await queue.subscription("sub_1")).toEqual(before);
        await queue.settle([[await queue.claimOne(), 500]]);
        const [row] = await queue.deliveries();
        const [at = 0, next] = [await queue.instant(), row?.next_at ?? undefined];
        if (next === undefined) break;
        waits.push(next - at);
        await queue.setInstant(next);
      }
      expect(waits).toEqual(STEPS.slice(1));
      expect(await queue.deliveries()).toMatchObject([
        { state: "exhausted", attempts: 3 * STEPS.length },
      ]);
      expect(await queue.attempts()).toHaveLength(STEPS.length);
    });
  });

  // A connection that ends during COMMIT says nothing of the transaction, so it is written again.
  describe("an attempt that is recorded twice", () => {
    it("leaves a replay that was requested in between", async () => {
      const queue = await openOne();
      const claim = await queue.claimOne();
      await queue.settle([[claim, 204]]);
      const what = { kind: "delivery", id: "dlv_1" } as const;
      await replayDeliveries(queue.ports(), merchant, { what, askedBy: "operator" });
      await queue.settle([[claim, 204]]);
      expect(await queue.deliveries()).toMatchObject([
        { state: "waiting", next_at: CLOCK_START, attempts: 1 },
      ]);
    });

    it("counts as one failure and keeps the time of the retry", async () => {
      const queue = await openOne();
      const claim = await queue.claimOne();
      await queue.settle([[claim, 500]]);
      await queue.setInstant(CLOCK_START + 3000);
      await queue.settle([[claim, 500]]);
      expect(await queue.subscription("sub_1")).toMatchObject([{ consecutive_failures: 1 }]);
      expect(await queue.deliveries()).toMatchObject([
        { state: "waiting", next_at: CLOCK_START + 5000 },
      ]);
      expect(await queue.attempts()).toHaveLength(1);
    });
  });

  describe("two workers with the same attempt number, after a crash undid the first claim", () => {
    async function twoClaims() {
      const queue = await openOne();
      const first = await queue.claimOne();
      await queue.write("UPDATE deliveries SET attempts = 0, leased_until = 0");
      const second = await queue.claimOne();
      expect([first.attempt, second.attempt]).toEqual([1, 1]);
      return { queue, first, second };
    }

    it("record only the result that comes first", async () => {
      const { queue, first, second } = await twoClaims();
      expect((await queue.settle([[second, 204]])).settled).toHaveLength(1);
      expect((await queue.settle([[first, 500]])).settled).toEqual([]);
      expect(await queue.deliveries()).toMatchObject([{ state: "delivered", next_at: null }]);
      expect(await records(queue)).toEqual([{ number: 1, status: 204 }]);
    });

    it("go on with a new number after one gives back what the other has recorded", async () => {
      const { queue, first, second } = await twoClaims();
      await queue.settle([[second, 500]]);
      await queue.driver.transaction((tx) =>
        releaseDeliveries(tx, [{ id: first.id, attempt: 1, begun: false }]),
      );
      await queue.write("UPDATE deliveries SET next_at = created_at");
      const next = await queue.claimOne();
      expect(next.attempt).toBe(2);
      await queue.settle([[next, 204]]);
      expect(await records(queue)).toEqual([
        { number: 1, status: 500 },
        { number: 2, status: 204 },
      ]);
    });
  });

  describe("due deliveries", () => {
    it("are claimed by their namespace's own clock, those that waited longest first", async () => {
      const queue = await queueOf(await open(), "sub_1");
      await queue.subscribe("sub_live", { clockId: "live" });
      for (const wait of [0, 3, 1, -1, 2])
        await queue.enqueue("sub_1", { nextAt: CLOCK_START - wait });
      await queue.enqueue("sub_live", { clockId: "live" });
      const claims = await queue.claim(2);
      expect(claims.map(({ id }) => id).toSorted()).toEqual(["dlv_2", "dlv_5"]);
      expect((await queue.claim()).map(({ id }) => id).toSorted()).toEqual(["dlv_1", "dlv_3"]);
    });

    it("are left alone while their subscription is PAUSED or CLOSED", async () => {
      const queue = await queueOf(await open());
      await queue.subscribeMany(3);
      await queue.write("UPDATE subscriptions SET status = 'PAUSED' WHERE key = 'sub_0'");
      await queue.write("UPDATE subscriptions SET status = 'CLOSED' WHERE key = 'sub_1'");
      expect((await queue.claim()).map(({ subscription }) => subscription.key)).toEqual(["sub_2"]);
    });
  });
});
