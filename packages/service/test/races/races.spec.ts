import { describe, expect, it } from "vitest";
import { endSubscription } from "../../src/store/operations/deliveries/end-subscription.ts";
import { openService, type TestService } from "../open-service.ts";
import { newCustomer } from "../payments.ts";
import { onStores, postgres, sqlite } from "../store/stores.ts";
import { refundRaces } from "./refund-races.ts";

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
  // The long forms are in `races.slow.ts`.
  refundRaces(open, 120);

  describe("simultaneous requests", () => {
    it("subscribe no more often than a merchant may", async () => {
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

    it("activate and deactivate a customer once, and all of them succeed", async () => {
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

    it("end an account once, with one event", async () => {
      const opened = await openService({ driver: await open() });
      const { service, merchant } = opened;
      const customerId = await newCustomer(service, merchant);
      await atOnce(12, () => service.useCases.deactivateAccount(merchant, { customerId }));
      expect(await eventsOf(opened, "account.deactivated")).toBe(1);
    });

    it("leave a customer one preferred account of many that are linked", async () => {
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

    it("leave no delivery waiting of an event that is written while its subscription ends", async () => {
      const { service, merchant, call } = await openService({ driver: await open() });
      const customerId = await newCustomer(service, merchant);
      const subscriptionDetails = { type: "ALL" };
      for (let round = 0; round < 4; round += 1) {
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
