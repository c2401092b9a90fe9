import { describe, expect, it } from "vitest";
import { openService, subscription, type TestService } from "../open-service.ts";
import { newCustomer } from "../payments.ts";
import { onStores, postgres, sqlite } from "../store/stores.ts";
import { refundRaces } from "./refund-races.ts";

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
        call("POST", "/v1/webhook/subscribe", { json: subscription }),
      );
      const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
      expect(statuses).toEqual([...repeated(10, 200), ...repeated(30, 422)]);
      expect(await service.driver.query("SELECT key FROM subscriptions")).toHaveLength(10);
    });

    it("activate and deactivate a customer, and end an account, once, and all of them succeed", async () => {
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
  });
});
