import { expect, it } from "vitest";
import type { Driver } from "../../src/store/driver.ts";
import { hookedDriver, type DriverHooks } from "../hooked-driver.ts";
import { openService, refundOrder } from "../open-service.ts";
import { newPayment } from "../payments.ts";
import type { OpenStore } from "../store/stores.ts";

/** A busy machine takes its time for a thousand sockets. */
const PATIENT = { timeout: 60_000 };

interface Order {
  readonly requestKey: string;
  readonly cents: number;
}

/**
 * Requests all refunds of one payment over HTTP; none reaches the store before the last has arrived there.
 * Expects that answers are what is stored, and that what was refused for its amount did not fit.
 */
async function race(driver: Driver, paid: number, orders: readonly Order[]) {
  const hooks: DriverHooks = {};
  const { service, merchant, call } = await openService({ driver: hookedDriver(driver, hooks) });
  const paymentId = await newPayment(service, merchant, { cents: BigInt(paid) });
  const { promise: all, resolve: arrived } = Promise.withResolvers<void>();
  let waiting = 0;
  hooks.query = () => {
    waiting += 1;
    if (waiting === orders.length) {
      hooks.query = undefined;
      arrived();
    }
    return all;
  };
  const asked = await Promise.all(
    orders.map(async ({ requestKey, cents }) => {
      const amount = { currency: "USD", value: cents / 100 };
      const json = refundOrder(paymentId, { amount, requestKey });
      return { requestKey, cents, status: (await call("POST", "/v1/refunds", { json })).status };
    }),
  );
  const stored = await driver.query<Order>(
    `SELECT request_key AS "requestKey", amount_cents AS cents FROM payments WHERE original_id = $1`,
    [paymentId],
  );
  const of = (status: number) => asked.filter((one) => one.status === status);
  const texts = (refunds: readonly Order[]): string[] =>
    refunds.map(({ requestKey, cents }) => `${requestKey}:${cents}`).toSorted();
  const refunded = stored.reduce((sum, { cents }) => sum + cents, 0);
  expect(texts(of(201))).toEqual(texts(stored));
  expect(of(201).length + of(409).length + of(422).length).toBe(orders.length);
  expect(refunded + Math.min(...of(422).map(({ cents }) => cents))).toBeGreaterThan(paid);
  const events = await driver.query("SELECT id FROM events WHERE type LIKE 'refund.%'");
  expect(events).toHaveLength(stored.length);
  return { made: stored.length, duplicates: of(409).length, refunded };
}

/** Refunds of one payment that are requested over HTTP at one time: so many calls. */
export function refundRaces(open: OpenStore["open"], calls: number): void {
  const many = (order: (at: number) => Order): Order[] =>
    Array.from({ length: calls }, (_, at) => order(at));

  it(
    `B1 T-01 ${calls} simultaneous calls with one requestKey make one refund; the others are 409`,
    PATIENT,
    async () => {
      const orders = many(() => ({ requestKey: "one", cents: 100 }));
      const outcome = await race(await open(), 10_000, orders);
      expect(outcome).toMatchObject({ made: 1, duplicates: calls - 1 });
    },
  );

  it(
    `B2 T-16 ${calls} simultaneous partial refunds never exceed the payment`,
    PATIENT,
    async () => {
      // Parts of 1 to 17 cents come to more than twice four cents each.
      const orders = many((at) => ({ requestKey: `k-${at}`, cents: 1 + ((at * 7) % 17) }));
      const outcome = await race(await open(), 4 * calls, orders);
      expect(outcome).toMatchObject({ duplicates: 0, refunded: 4 * calls });
    },
  );
}
