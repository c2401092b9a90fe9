import { describe, expect, it } from "vitest";
import type { Driver } from "../src/store/driver.ts";
import { openService, type TestService } from "./open-service.ts";
import { newCustomer } from "./payments.ts";
import { onStores, postgres, sqlite } from "./store/stores.ts";
import { deactivateAccount, linkAccount, moveCustomer } from "../src/use-cases/customers.ts";

/** Simultaneous refund requests. */
const CALLS = 120;

/** The same thing asked for so many times at once. */
const atOnce = <T>(times: number, ask: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: times }, (_, at) => ask(at)));

interface Order {
  readonly requestKey: string;
  readonly cents: number;
}

/**
 * Requests all refunds of one payment over HTTP; none reaches the store before the last has arrived there.
 * Expects that answers are what is stored, and that what was refused for its amount did not fit.
 */
async function race(driver: Driver, paid: number, orderOf: (at: number) => Order) {
  const { hooks, pay, refund } = await openService({ driver });
  const paymentId = await pay({ cents: BigInt(paid) });
  const { promise: all, resolve: arrived } = Promise.withResolvers<void>();
  let waiting = 0;
  hooks.query = () => {
    waiting += 1;
    if (waiting === CALLS) {
      hooks.query = undefined;
      arrived();
    }
    return all;
  };
  const asked = await atOnce(CALLS, async (at) => {
    const { requestKey, cents } = orderOf(at);
    const amount = { currency: "USD", value: cents / 100 };
    const { status } = await refund(paymentId, { amount, requestKey });
    return { requestKey, cents, status };
  });
  const stored = await driver.query<Order>(
    `SELECT request_key AS "requestKey", amount_cents AS cents FROM payments WHERE original_id = $1`,
    [paymentId],
  );
  const of = (status: number) => asked.filter((one) => one.status === status);
  const texts = (refunds: readonly Order[]): string[] =>
    refunds.map(({ requestKey, cents }) => `${requestKey}:${cents}`).toSorted();
  const refunded = stored.reduce((sum, { cents }) => sum + cents, 0);
  expect(texts(of(201))).toEqual(texts(stored));
  expect(of(201).length + of(409).length + of(422).length).toBe(CALLS);
  expect(refunded + Math.min(...of(422).map(({ cents }) => cents))).toBeGreaterThan(paid);
  const events = await driver.query("SELECT id FROM events WHERE type LIKE 'refund.%'");
  expect(events).toHaveLength(stored.length);
  return { made: stored.length, duplicates: of(409).length, refunded };
}

const eventsOf = async ({ rows }: TestService, type: string): Promise<number> =>
  (await rows("SELECT id FROM events WHERE type = $1", type)).length;

onStores([sqlite, postgres], ({ open }) => {
  it("B1 T-01 120 simultaneous calls with one requestKey make one refund; the others are 409", async () => {
    const outcome = await race(await open(), 10_000, () => ({ requestKey: "one", cents: 100 }));
    expect(outcome).toMatchObject({ made: 1, duplicates: CALLS - 1 });
  });

  it("B2 T-16 120 simultaneous partial refunds never exceed the payment", async () => {
    // Parts of 1 to 17 cents add up to more than twice four cents each.
    const orderOf = (at: number) => ({ requestKey: `k-${at}`, cents: 1 + ((at * 7) % 17) });
    const outcome = await race(await open(), 4 * CALLS, orderOf);
    expect(outcome).toMatchObject({ duplicates: 0, refunded: 4 * CALLS });
  });

  describe("simultaneous requests", () => {
    it("subscribe no more often than a merchant may", async () => {
      const { subscribe, rows } = await openService({ driver: await open() });
      const answers = await atOnce(20, () => subscribe());
      for (const status of [200, 422])
        expect(answers.filter((one) => one.status === status)).toHaveLength(10);
      expect(await rows("SELECT key FROM subscriptions")).toHaveLength(10);
    });

    it("activate and deactivate a customer, and end an account, once, and leave one preferred account", async () => {
      const opened = await openService({ driver: await open() });
      const { context, rows, merchant } = opened;
      const customerId = await newCustomer(opened, merchant);
      for (const move of ["activate", "deactivate"] as const) {
        const moved = await atOnce(12, () => moveCustomer(context, merchant, { customerId, move }));
        expect(moved.filter(({ ok }) => ok)).toHaveLength(12);
        expect(await eventsOf(opened, `customer.${move}d`)).toBe(1);
      }
      const account = { customerId, institution: "First Example Bank", type: "checking" } as const;
      await atOnce(12, (at) =>
        linkAccount(context, merchant, { ...account, lastFour: `10${10 + at}` }),
      );
      expect(await rows("SELECT id FROM accounts WHERE preferred = 1")).toHaveLength(1);
      expect(await eventsOf(opened, "account.updated")).toBe(12);
      await atOnce(12, () => deactivateAccount(context, merchant, { customerId }));
      expect(await eventsOf(opened, "account.deactivated")).toBe(1);
    });
  });
});
