import { describe, expect, it } from "vitest";
import type { Claim } from "../../src/delivery/claim.ts";
import { replayDeliveries } from "../../src/delivery/replay-deliveries.ts";
import { settle } from "../../src/delivery/settle.ts";
import type { SettledAttempt } from "../../src/delivery/settled-attempt.ts";
import { onStores, postgres, sqlite, threadedSqlite } from "../store/stores.ts";
import { attemptOf, claimOne, portsOf } from "./by-hand.ts";
import { answered, CLOCK_START, policy, queueOf, type Queue } from "./queue.ts";

async function end(queue: Queue, claim: Claim, status: number): Promise<readonly SettledAttempt[]> {
  const attempt = attemptOf(claim, answered(status));
  return (await settle([attempt], portsOf(queue), policy)).settled;
}

const replay = (queue: Queue): Promise<number> =>
  replayDeliveries(
    portsOf(queue),
    { id: "mer_1", clockId: "clk_1" },
    { what: { kind: "delivery", id: "dlv_1" }, askedBy: "operator" },
  );

/** A delivery that has failed so often, and whose next attempt is due. */
async function failedOften(queue: Queue, times: number): Promise<void> {
  await queue.subscribe("sub_1");
  await queue.enqueue("sub_1");
  for (let time = 0; time < times; time += 1) {
    await end(queue, await claimOne(queue), 500);
    await queue.write("UPDATE deliveries SET next_at = $1", [CLOCK_START]);
  }
}

onStores([sqlite, threadedSqlite, postgres], ({ open }) => {
  describe("a replay that is asked for while an attempt is under way", () => {
    it("is made after the last attempt of the schedule has failed", async () => {
      const queue = await queueOf(await open());
      await failedOften(queue, 9);
      const claim = await claimOne(queue);
      expect(await replay(queue)).toBe(1);
      const settled = await end(queue, claim, 500);
      expect(settled).toMatchObject([{ settled: { state: "waiting", nextAt: CLOCK_START } }]);
      expect(await queue.deliveries()).toMatchObject([
        { state: "waiting", attempts: 10, next_at: CLOCK_START, leased_until: 0 },
      ]);
      await end(queue, await claimOne(queue), 500);
      expect(await queue.deliveries()).toMatchObject([{ state: "exhausted", next_at: null }]);
    });

    it("does not wait for the schedule's next step", async () => {
      const queue = await queueOf(await open());
      await failedOften(queue, 1);
      const claim = await claimOne(queue);
      await replay(queue);
      await end(queue, claim, 500);
      expect(await queue.deliveries()).toMatchObject([{ state: "waiting", next_at: CLOCK_START }]);
      // Only once: the attempt after it follows the schedule.
      await end(queue, await claimOne(queue), 500);
      expect(await queue.deliveries()).toMatchObject([
        { state: "waiting", next_at: CLOCK_START + 1_800_000 },
      ]);
    });

    it("has come true where the attempt succeeds", async () => {
      const queue = await queueOf(await open());
      await failedOften(queue, 1);
      const claim = await claimOne(queue);
      await replay(queue);
      await end(queue, claim, 204);
      expect(await queue.deliveries()).toMatchObject([{ state: "delivered", next_at: null }]);
    });

    it("is over where the attempt finds out that the receiver is gone", async () => {
      const queue = await queueOf(await open());
      await failedOften(queue, 1);
      const claim = await claimOne(queue);
      await replay(queue);
      await end(queue, claim, 410);
      expect(await queue.deliveries()).toMatchObject([{ state: "dropped", next_at: null }]);
    });
  });
});
