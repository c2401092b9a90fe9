import { describe, expect, it } from "vitest";
import { settle } from "../../src/delivery/settle.ts";
import type { Answer } from "../../src/delivery/transport.ts";
import { releaseDeliveries } from "../../src/store/operations/deliveries/release-deliveries.ts";
import { onStores, postgres, sqlite, threadedSqlite } from "../store/stores.ts";
import { attemptOf, claimOne, portsOf } from "./by-hand.ts";
import { answered, CLOCK_START, policy, queueOf, type Queue } from "./queue.ts";

const STEPS = policy.schedule.steps;

/** A process claims it and is killed before anything of its attempt is written. */
async function cutShort(queue: Queue, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    await claimOne(queue);
    queue.realNow += policy.leaseMs;
  }
}

async function settleOne(queue: Queue, answer: Answer): Promise<void> {
  const attempt = attemptOf(await claimOne(queue), answer);
  await settle([attempt], portsOf(queue), policy);
}

onStores([sqlite, threadedSqlite, postgres], ({ open }) => {
  describe("claims whose processes are killed", () => {
    it("leave the schedule as it was: the first failure is followed by the second attempt's step", async () => {
      const queue = await queueOf(await open());
      await queue.subscribe("sub_1");
      await queue.enqueue("sub_1");
      await cutShort(queue, STEPS.length - 1);
      await settleOne(queue, answered(500));
      expect(await queue.deliveries()).toMatchObject([
        { state: "waiting", attempts: STEPS.length, next_at: CLOCK_START + 5000 },
      ]);
      expect(await queue.attempts()).toMatchObject([{ number: STEPS.length, status: 500 }]);
    });

    it("use none of the attempts up, wherever in the schedule they fall", async () => {
      const queue = await queueOf(await open());
      await queue.subscribe("sub_1");
      await queue.enqueue("sub_1");
      const waits: number[] = [];
      for (const _ of STEPS) {
        await cutShort(queue, 2);
        await settleOne(queue, answered(500));
        const [row] = await queue.deliveries();
        const [at, next] = [await queue.instant(), row?.next_at];
        if (at === undefined || next === undefined || next === null) break;
        waits.push(next - at);
        await queue.write("UPDATE clocks SET instant = $1 WHERE id = 'clk_1'", [next]);
      }
      expect(waits).toEqual(STEPS.slice(1));
      expect(await queue.deliveries()).toMatchObject([
        { state: "exhausted", attempts: 3 * STEPS.length },
      ]);
      expect(await queue.attempts()).toHaveLength(STEPS.length);
    });

    it("are no failures of their subscription", async () => {
      const queue = await queueOf(await open());
      await queue.subscribe("sub_1");
      await queue.enqueue("sub_1");
      const before = await queue.subscription("sub_1");
      await cutShort(queue, 2 * STEPS.length);
      expect(await queue.subscription("sub_1")).toEqual(before);
      await settleOne(queue, answered(204));
      expect(await queue.deliveries()).toMatchObject([{ state: "delivered" }]);
      expect(await queue.subscription("sub_1")).toMatchObject([{ consecutive_failures: 0 }]);
    });

    it("and attempts that a process gives back as it ends leave the schedule as it was", async () => {
      const queue = await queueOf(await open());
      await queue.subscribe("sub_1");
      await queue.enqueue("sub_1");
      for (const _ of STEPS) {
        const { id, attempt } = await claimOne(queue);
        await queue.driver.transaction((tx) =>
          releaseDeliveries(tx, [{ id, attempt, begun: true }]),
        );
      }
      await settleOne(queue, answered(500));
      expect(await queue.deliveries()).toMatchObject([
        { state: "waiting", next_at: CLOCK_START + 5000 },
      ]);
    });
  });
});
