import { describe, expect, it } from "vitest";
import { ciAfter } from "../../../../test/tags.ts";
import { replayDeliveries } from "../../src/delivery/operator.ts";
import { textOf, type Driver } from "../../src/store/driver.ts";
import { openService, type TestService } from "../open-service.ts";
import { onStores, postgres } from "../store/stores.ts";
import { validated } from "../validated.ts";
import { heldTransport, Queue } from "./queue.ts";
import { createCustomer } from "../../src/use-cases/customers.ts";
import { unsubscribe } from "../../src/use-cases/subscriptions.ts";

/** Transactions that wait for another one. */
const BLOCKED = `SELECT 1 AS one FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;
const WRITES_DELIVERIES = /INTO deliveries|UPDATE deliveries SET state = 'waiting'/;

interface Subscribed extends TestService {
  /** Key of the one subscription. */
  readonly key: string;
  /** The database without hooks. */
  readonly stored: Driver;
}

const addEvent = ({ context, merchant }: TestService): Promise<unknown> =>
  createCustomer(context, merchant, { firstName: "Bo", lastName: "Li", email: "bo@example.com" });
const replay = ({ context, merchant, key }: Subscribed): Promise<unknown> => {
  const what = { kind: "subscription", id: key } as const;
  return replayDeliveries(context, { what, merchantId: merchant.id });
};

/** Calls that remove a type of event, or the whole subscription. */
const takers: Readonly<Record<string, (open: Subscribed) => Promise<() => Promise<unknown>>>> = {
  "an unsubscribe of its type":
    async ({ context, merchant, key }) =>
    () =>
      unsubscribe(context, merchant, {
        subscriptionId: key,
        subscriptionDetails: { type: "EVENT", details: ["customer.created"] },
      }),
  "an answer of 410": async ({ stored, clock, service }) => {
    const held = heldTransport();
    new Queue(stored).engine(held.transport, { clock, dueClock: service.dueClock });
    await expect.poll(held.inFlight).toBe(1);
    return () => {
      held.answer(410);
      const closed = "SELECT key FROM subscriptions WHERE status = 'CLOSED'";
      return expect.poll(() => stored.query(closed)).toHaveLength(1);
    };
  },
};

const begins = [
  ["a new event", addEvent],
  ["a replay", replay],
] as const;

// SQLite has one writer: there the one transaction ends before the other begins.
onStores([postgres], ({ open }) => {
  describe.each(Object.entries(takers))("during %s", (_, prepare) => {
    for (const [index, [name, begin]] of begins.entries())
      it(
        `${name} that began earlier leaves nothing waiting`,
        { tags: ciAfter(1, index) },
        async () => {
          const stored = await open();
          const service = await openService({ driver: stored });
          const { subscriptionKey: key } = validated("subscribed", await service.subscribe());
          const subscribed = { ...service, stored, key };
          await addEvent(subscribed);
          await service.write("UPDATE deliveries SET state = 'exhausted', next_at = NULL");
          await addEvent(subscribed);
          const take = await prepare(subscribed);
          let taking: Promise<unknown> | undefined;
          service.hooks.statement = async (sql) => {
            if (!WRITES_DELIVERIES.test(textOf(sql, "postgres"))) return;
            service.hooks.statement = undefined;
            // It has read by now what it will drop, or waits for this transaction.
            taking = take();
            await expect.poll(() => stored.query(BLOCKED)).toHaveLength(1);
          };
          await begin(subscribed);
          await taking;
          const states = await stored.query(
            "SELECT state FROM deliveries WHERE next_at IS NOT NULL",
          );
          expect(states).toEqual([]);
          const dropped = "SELECT id FROM deliveries WHERE state = 'dropped'";
          expect(await stored.query(dropped)).toHaveLength(2);
        },
      );
  });
});
