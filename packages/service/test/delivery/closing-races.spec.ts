import { describe, expect, it } from "vitest";
import type { Queryable } from "../../src/store/driver.ts";
import { requeueDeliveries } from "../../src/store/tables/replays.ts";
import { insertDeliveries, insertEvent } from "../../src/store/tables/deliveries.ts";
import {
  dropWaitingDeliveries,
  listOpenSubscriptions,
  lockSubscription,
} from "../../src/store/tables/subscriptions.ts";
import { onStores, postgres } from "../store/stores.ts";
import { CLOCK_START, heldTransport, queueOf, SOON, type Queue } from "./queue.ts";

const merchant = { id: "mer_1", clockId: "clk_1" };
const named = { merchantId: merchant.id, key: "sub_1" };

/** Transactions that wait for another one. */
const BLOCKED = `SELECT 1 AS one FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** An event's transaction, as `writeEvent` has it: who takes it, then the deliveries. */
async function writeEvent(tx: Queryable, between: () => Promise<void>): Promise<void> {
  const open = await listOpenSubscriptions(tx, merchant.id);
  await between();
  const event = {
    id: "evt_new",
    type: "refund.authorized",
    category: "PAYMENT",
    payload: "{}",
    createdAt: CLOCK_START,
  } as const;
  await insertEvent(tx, merchant, event);
  const deliveries = open.map(({ key }) => ({
    id: `dlv_${key}`,
    eventId: event.id,
    subscriptionKey: key,
    createdAt: CLOCK_START,
    dueAt: CLOCK_START,
  }));
  await insertDeliveries(tx, merchant, deliveries);
}

/** A replay's transaction. */
async function replay(tx: Queryable, between: () => Promise<void>): Promise<void> {
  const what = { kind: "subscription", id: "sub_1" } as const;
  const all = { merchantId: merchant.id, what, askedBy: "operator", at: CLOCK_START };
  await requeueDeliveries(tx, { ...all, limit: 10, after: "" });
  await between();
}

/** Calls that remove a type of event, or the whole subscription. */
const takers: Readonly<Record<string, (queue: Queue) => Promise<() => Promise<unknown>>>> = {
  "an unsubscribe of its type":
    async ({ driver }) =>
    () =>
      driver.transaction(async (tx) => {
        await lockSubscription(tx, named);
        await dropWaitingDeliveries(tx, { ...named, type: "refund.authorized" });
      }),
  "an answer of 410": async (queue) => {
    const held = heldTransport();
    const drained = queue.engine(held.transport).drain("clk_1");
    await expect.poll(held.inFlight, SOON).toBe(1);
    return () => {
      held.answer(410);
      return drained;
    };
  },
};

// SQLite has one writer: there the one transaction ends before the other begins.
onStores([postgres], ({ open }) => {
  describe.each(Object.entries(takers))("during %s", (_, prepare) => {
    it.each([
      ["a new event", writeEvent],
      ["a replay", replay],
    ])("%s that began earlier leaves nothing waiting", async (__, begin) => {
      const queue = await queueOf(await open(), "sub_1");
      const ended = await queue.enqueue("sub_1");
      const exhaust = "UPDATE deliveries SET state = 'exhausted', next_at = NULL WHERE id = $1";
      await queue.write(exhaust, [ended]);
      await queue.enqueue("sub_1");
      const take = await prepare(queue);
      let taking: Promise<unknown> = Promise.resolve();
      await queue.driver.transaction((tx) =>
        begin(tx, async () => {
          // It has read by now what it will drop, or waits for this transaction.
          taking = take();
          await expect.poll(() => queue.driver.query(BLOCKED), SOON).toHaveLength(1);
        }),
      );
      await taking;
      const rows = await queue.deliveries();
      expect(rows.filter(({ next_at }) => next_at !== null)).toEqual([]);
      expect(rows.filter(({ state }) => state === "dropped")).toHaveLength(2);
    });
  });
});
