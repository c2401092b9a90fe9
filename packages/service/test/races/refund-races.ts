import { expect, it } from "vitest";
import type { Driver } from "../../src/store/driver.ts";
import { hookedDriver, type DriverHooks } from "../hooked-driver.ts";
import type { OpenStore } from "../store/stores.ts";
import {
  naiveServer,
  serviceServer,
  violations,
  type RefundOrder,
  type RefundServer,
} from "./refund-server.ts";

/** A busy machine takes its time for a thousand sockets. */
const PATIENT = { timeout: 60_000 };

/** Requests all refunds of one payment; none reaches the store before the last has arrived there. */
async function race(
  serve: (driver: Driver) => Promise<RefundServer>,
  driver: Driver,
  { paid, orders }: { readonly paid: number; readonly orders: readonly RefundOrder[] },
) {
  const hooks: DriverHooks = {};
  const pay = await serve(hookedDriver(driver, hooks));
  const payment = await pay(paid);
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
    orders.map(async (order) => ({ ...order, status: await payment.refund(order) })),
  );
  const refunds = await payment.refunds();
  return {
    made: asked.filter(({ status }) => status === 201).length,
    duplicates: asked.filter(({ status }) => status === 409).length,
    broken: await violations(payment, paid, asked),
    refunded: refunds.reduce((sum, { cents }) => sum + cents, 0),
    events: (await driver.query("SELECT id FROM events WHERE type LIKE 'refund.%'")).length,
  };
}

const many = (count: number, order: (at: number) => RefundOrder): RefundOrder[] =>
  Array.from({ length: count }, (_, at) => order(at));
const oneKey = (): RefundOrder => ({ requestKey: "one", cents: 100 });
// Parts of 1 to 17 cents come to more than twice four cents each.
const parts = (at: number): RefundOrder => ({ requestKey: `k-${at}`, cents: 1 + ((at * 7) % 17) });

/** Refunds of one payment that are requested over HTTP at one time: so many calls. */
export function refundRaces(open: OpenStore["open"], calls: number): void {
  it(
    `B1 T-01 ${calls} simultaneous calls with one requestKey make one refund; the others are 409`,
    PATIENT,
    async () => {
      const orders = many(calls, oneKey);
      const outcome = await race(serviceServer, await open(), { paid: 10_000, orders });
      expect(outcome).toMatchObject({ made: 1, duplicates: calls - 1, broken: [], events: 1 });
    },
  );

  it(
    `B2 T-16 ${calls} simultaneous partial refunds never exceed the payment`,
    PATIENT,
    async () => {
      const paid = 4 * calls;
      const orders = many(calls, parts);
      const outcome = await race(serviceServer, await open(), { paid, orders });
      expect(outcome).toMatchObject({ broken: [], refunded: paid, events: outcome.made });
    },
  );

  it("simultaneous calls break both promises of a server that looks first and writes afterwards", async () => {
    const twice = { paid: 10_000, orders: many(50, oneKey) };
    const { broken } = await race(naiveServer, await open(), twice);
    expect(broken).toContain("a key has two refunds");
    const tooMuch = { paid: 200, orders: many(50, parts) };
    const exceeded = await race(naiveServer, await open(), tooMuch);
    expect(exceeded.broken).toContain(`${exceeded.refunded} of 200 are refunded`);
  });
}
