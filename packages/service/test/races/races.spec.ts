import { describe, expect, it } from "vitest";
import type { Driver } from "../../src/store/driver.ts";
import { endSubscription } from "../../src/store/operations/deliveries/end-subscription.ts";
import { openService, type TestService } from "../open-service.ts";
import { newCustomer } from "../payments.ts";
import { onStores, postgres, sqlite } from "../store/stores.ts";
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
// 500 parts of 1 to 17 cents come to more than twice 2,000.
const parts = (at: number): RefundOrder => ({ requestKey: `k-${at}`, cents: 1 + ((at * 7) % 17) });

const ENDPOINT = { url: "https://merchant.example/", secretKey: "correct-horse-battery-st" };

/** The same thing asked for so many times at once. */
const atOnce = <T>(times: number, ask: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: times }, (_, at) => ask(at)));

const repeated = <T>(times: number, one: T): T[] => Array.from({ length: times }, () => one);

const eventsOf = async ({ service }: TestService, type: string): Promise<number> => {
  const rows = await service.driver.query("SELECT id FROM events WHERE type = $1", [type]);
  return rows.length;
};

onStores([sqlite, postgres], ({ open }) => {
  describe("refunds that are asked for at one time over HTTP", () => {
    it(
      "B1 T-01 make one refund of 1,000 calls with one requestKey, the others are 409",
      PATIENT,
      async () => {
        const orders = many(1000, oneKey);
        const driver = await open();
        const { asked, broken, events } = await race({
          server: serviceServer,
          driver,
          paid: 10_000,
          orders,
        });
        const statuses = Map.groupBy(asked, ({ status }) => status);
        expect([statuses.get(201)?.length, statuses.get(409)?.length]).toEqual([1, 999]);
        expect([broken, events]).toEqual([[], 1]);
      },
    );

    it("B2 T-16 never add up to more than the payment, with 500 keys", PATIENT, async () => {
      const orders = many(500, parts);
      const driver = await open();
      const { asked, broken, refunded, events } = await race({
        server: serviceServer,
        driver,
        paid: 2000,
        orders,
      });
      expect([broken, refunded]).toEqual([[], 2000]);
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

  describe("what is asked for at one time", () => {
    it("is no more subscriptions than a merchant may have", async () => {
      const { call, service } = await openService({ driver: await open() });
      const answers = await atOnce(40, () =>
        call("POST", "/v1/webhook/subscribe", {
          json: { ...ENDPOINT, subscriptionDetails: { type: "ALL" } },
        }),
      );
      const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
      expect(statuses).toEqual([...repeated(10, 200), ...repeated(30, 422)]);
      expect(await service.driver.query("SELECT key FROM subscriptions")).toHaveLength(10);
    });

    it("activates and deactivates a customer once, and nobody is told that it cannot be", async () => {
      const opened = await openService({ driver: await open() });
      const { service, merchant } = opened;
      const customerId = await newCustomer(service, merchant);
      for (const move of ["activate", "deactivate"] as const) {
        const moved = await atOnce(12, () =>
          service.useCases.moveCustomer(merchant, { customerId, move }),
        );
        expect(moved.map(({ ok }) => ok)).toEqual(repeated(12, true));
        expect(await eventsOf(opened, `customer.${move}d`)).toBe(1);
      }
    });

    it("ends an account once, with one event", async () => {
      const opened = await openService({ driver: await open() });
      const { service, merchant } = opened;
      const customerId = await newCustomer(service, merchant);
      await atOnce(12, () => service.useCases.deactivateAccount(merchant, { customerId }));
      expect(await eventsOf(opened, "account.deactivated")).toBe(1);
    });

    it("leaves a customer one preferred account of many that are linked", async () => {
      const opened = await openService({ driver: await open() });
      const { service, merchant } = opened;
      const customerId = await newCustomer(service, merchant);
      await atOnce(12, (at) =>
        service.useCases.linkAccount(merchant, {
          customerId,
          institution: "First Example Bank",
          lastFour: String(1000 + at),
          type: "checking",
        }),
      );
      const accounts = await service.driver.query("SELECT id FROM accounts WHERE preferred = 1");
      expect(accounts).toHaveLength(1);
      expect(await eventsOf(opened, "account.updated")).toBe(12);
    });

    it("leaves nothing waiting of an event that is written while its subscription ends", async () => {
      const { service, merchant, call } = await openService({ driver: await open() });
      const customerId = await newCustomer(service, merchant);
      const subscriptionDetails = { type: "ALL" };
      for (let round = 0; round < 8; round += 1) {
        const made = await call("POST", "/v1/webhook/subscribe", {
          json: { ...ENDPOINT, subscriptionDetails },
        });
        const { subscriptionKey: subscriptionId } = made.body as { subscriptionKey: string };
        const end = { json: { subscriptionId, subscriptionDetails } };
        await atOnce(9, async (at) => {
          // The merchant ends it, and in other rounds an attempt that was answered 410.
          if (at === 4 && round % 2 === 0) return call("PUT", "/v1/webhook/unsubscribe", end);
          if (at === 4)
            return service.driver.transaction((tx) => endSubscription(tx, subscriptionId, 1));
          return service.useCases.createPayment(merchant, { customerId, amountCents: 1n });
        });
      }
      const waiting = await service.driver.query(
        "SELECT id FROM deliveries WHERE state = 'waiting'",
      );
      expect(waiting).toEqual([]);
    });
  });
});
