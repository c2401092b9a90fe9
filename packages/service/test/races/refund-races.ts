import { describe, expect, it } from "vitest";
import type { Driver } from "../../src/store/driver.ts";
import type { OpenStore } from "../store/stores.ts";
import { ArrivalBarrier } from "./arrival-barrier.ts";
import {
  naiveServer,
  serviceServer,
  type RefundOrder,
  type RefundServer,
  type ServerOptions,
} from "./refund-server.ts";
import { violations, type Asked } from "./violations.ts";

/** A busy machine takes its time for a thousand sockets. */
const PATIENT = { timeout: 60_000 };

interface Race {
  readonly server: (options: ServerOptions) => Promise<RefundServer>;
  readonly driver: Driver;
  /** Cents of the payment. */
  readonly paid: number;
  readonly orders: readonly RefundOrder[];
}

/** Asks for all refunds of one payment, none before the last has arrived. */
async function race({ server, driver, paid, orders }: Race): Promise<{
  readonly asked: readonly Asked[];
  readonly broken: readonly string[];
  readonly refunded: number;
  /** What merchants are told of. */
  readonly events: number;
}> {
  const barrier = new ArrivalBarrier(driver);
  const { pay } = await server({ driver: barrier });
  const payment = await pay(paid);
  barrier.holdUntil(orders.length);
  const asked = await Promise.all(
    orders.map(async (order) => ({ ...order, status: await payment.refund(order) })),
  );
  const refunds = await payment.refunds();
  return {
    asked,
    broken: await violations(payment, { paid, asked }),
    refunded: refunds.reduce((sum, { cents }) => sum + cents, 0),
    events: (await driver.query("SELECT id FROM events WHERE type LIKE 'refund.%'")).length,
  };
}

const many = (count: number, order: (at: number) => RefundOrder): RefundOrder[] =>
  Array.from({ length: count }, (_, at) => order(at));
const oneKey = (): RefundOrder => ({ requestKey: "one", cents: 100 });
// Parts of 1 to 17 cents come to more than twice four cents each.
const parts = (at: number): RefundOrder => ({ requestKey: `k-${at}`, cents: 1 + ((at * 7) % 17) });

/**
 * Refunds of one payment that are asked for at one time.
 *
 * @param sizes `calls` with one key, and parts with so many `keys`.
 */
export function refundRaces(
  open: OpenStore["open"],
  { calls, keys }: { readonly calls: number; readonly keys: number },
): void {
  describe("refunds that are asked for at one time over HTTP", () => {
    it(
      `B1 T-01 make one refund of ${calls} calls with one requestKey, the others are 409`,
      PATIENT,
      async () => {
        const orders = many(calls, oneKey);
        const driver = await open();
        const { asked, broken, events } = await race({
          server: serviceServer,
          driver,
          paid: 10_000,
          orders,
        });
        const statuses = Map.groupBy(asked, ({ status }) => status);
        expect([statuses.get(201)?.length, statuses.get(409)?.length]).toEqual([1, calls - 1]);
        expect([broken, events]).toEqual([[], 1]);
      },
    );

    it(`B2 T-16 never add up to more than the payment, with ${keys} keys`, PATIENT, async () => {
      const orders = many(keys, parts);
      const driver = await open();
      const { asked, broken, refunded, events } = await race({
        server: serviceServer,
        driver,
        paid: 4 * keys,
        orders,
      });
      expect([broken, refunded]).toEqual([[], 4 * keys]);
      expect(events).toBe(asked.filter(({ status }) => status === 201).length);
    });
  });

  describe("the same races", () => {
    it("find two refunds of one key where it is looked up first and written afterwards", async () => {
      const orders = many(100, oneKey);
      const driver = await open();
      const { broken } = await race({ server: naiveServer, driver, paid: 10_000, orders });
      expect(broken).toContain("a key has two refunds");
    });

    it("find too much refunded where the sum is looked up first and written afterwards", async () => {
      const orders = many(100, parts);
      const driver = await open();
      const { broken, refunded } = await race({ server: naiveServer, driver, paid: 400, orders });
      expect(broken).toContain(`${refunded} of 400 are refunded`);
    });
  });
}
