import { describe, expect, it } from "vitest";
import type { Attempt } from "../../src/delivery/attempt.ts";
import { replayDeliveries } from "../../src/delivery/replay-deliveries.ts";
import { settle } from "../../src/delivery/settle.ts";
import { onStores, postgres, sqlite, threadedSqlite } from "../store/stores.ts";
import { attemptOf, claimOne, portsOf } from "./by-hand.ts";
import { answered, CLOCK_START, policy, queueOf, type Queue } from "./queue.ts";

async function attempted(queue: Queue, status: number): Promise<Attempt> {
  await queue.subscribe("sub_1");
  await queue.enqueue("sub_1");
  return attemptOf(await claimOne(queue), answered(status));
}

// A connection that ends during COMMIT says nothing of the transaction, so what it wrote is written again.
onStores([sqlite, threadedSqlite, postgres], ({ open }) => {
  describe("an attempt that is settled again, since nobody knew that it was", () => {
    it("leaves a replay that was asked for in between", async () => {
      const queue = await queueOf(await open());
      const attempt = await attempted(queue, 204);
      await settle([attempt], portsOf(queue), policy);
      await replayDeliveries(
        portsOf(queue),
        { id: "mer_1", clockId: "clk_1" },
        { what: { kind: "delivery", id: "dlv_1" }, askedBy: "operator" },
      );
      await settle([attempt], portsOf(queue), policy);
      expect(await queue.deliveries()).toMatchObject([
        { state: "waiting", next_at: CLOCK_START, attempts: 1 },
      ]);
    });

    it("is one failure of its subscription, and moves nothing", async () => {
      const queue = await queueOf(await open());
      const attempt = await attempted(queue, 500);
      await settle([attempt], portsOf(queue), policy);
      await queue.write("UPDATE clocks SET instant = instant + 3000 WHERE id = 'clk_1'", []);
      await settle([attempt], portsOf(queue), policy);
      expect(await queue.subscription("sub_1")).toMatchObject([{ consecutive_failures: 1 }]);
      expect(await queue.deliveries()).toMatchObject([
        { state: "waiting", next_at: CLOCK_START + 5000 },
      ]);
      expect(await queue.attempts()).toHaveLength(1);
    });
  });
});
