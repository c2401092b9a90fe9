import { expect, it } from "vitest";
import { listDeliveries, listEvents } from "../../src/store/tables/deliveries.ts";
import { findPreferredAccount, listCustomers } from "../../src/store/tables/customers.ts";
import { listPayments } from "../../src/store/tables/payments.ts";
import {
  listOpenSubscriptions,
  listSubscriptionHealth,
  listSubscriptions,
} from "../../src/store/tables/subscriptions.ts";
import { openService, subscription } from "../open-service.ts";
import { newCustomer } from "../payments.ts";
import { onStores, postgres, sqlite } from "./stores.ts";

const idOf = ({ id }: { readonly id: string }): string => id;
const keyOf = ({ key }: { readonly key: string }): string => key;

onStores([sqlite, postgres], ({ open }) => {
  it("lists customers, payments, subscriptions, events and deliveries of one instant in the order of their insertion", async () => {
    const driver = await open();
    const { useCases, merchant } = await openService({ driver });
    const page = { merchantId: merchant.id, limit: 100 };
    const subscribed: string[] = [];
    for (let i = 0; i < 6; i++) {
      const made = await useCases.subscribe(merchant, subscription);
      if (made.ok) subscribed.push(made.subscriptionKey);
    }
    const customers: string[] = [];
    const payments: string[] = [];
    for (let i = 0; i < 6; i++) {
      const customerId = await newCustomer({ useCases }, merchant);
      customers.push(customerId);
      const made = await useCases.createPayment(merchant, { customerId, amountCents: 100n });
      if (made.ok) payments.push(made.payment.id);
    }

    expect((await listCustomers(driver, page)).map(idOf)).toEqual(customers.toReversed());
    expect((await listPayments(driver, page)).map(idOf)).toEqual(payments.toReversed());
    expect((await listSubscriptions(driver, page)).map(keyOf)).toEqual(subscribed.toReversed());
    const health = await listSubscriptionHealth(driver, page);
    expect(health.map(keyOf)).toEqual(subscribed.toReversed());
    const selected = await driver.transaction((tx) => listOpenSubscriptions(tx, merchant.id));
    expect(selected.map(keyOf)).toEqual(subscribed);

    const events = (await listEvents(driver, page)).toReversed();
    const created = events.filter(({ type }) => type === "payment.created");
    expect(created.map(({ payload }): unknown => JSON.parse(payload))).toMatchObject(
      payments.map((paymentId) => ({ data: { paymentId } })),
    );
    const deliveries = await listDeliveries(driver, { ...page, limit: 1000 });
    const expected = events.flatMap(({ id }) => subscribed.map((key) => `${id} ${key}`));
    expect(deliveries.toReversed().map((one) => `${one.eventId} ${one.subscriptionKey}`)).toEqual(
      expected,
    );
  });

  it("shows the last linked of several accounts of one instant", async () => {
    const driver = await open();
    const { useCases, merchant } = await openService({ driver });
    const name = { firstName: "Ada", lastName: "Osei", email: "ada.osei@example.com" };
    const { id: customerId } = await useCases.createCustomer(merchant, name);
    for (let i = 0; i < 6; i++) {
      const account = { customerId, institution: "Bank", lastFour: `000${i}`, type: "savings" };
      await useCases.linkAccount(merchant, { ...account, preferred: false });
      const shown = await findPreferredAccount(driver, { merchantId: merchant.id, customerId });
      expect(shown?.lastFour).toBe(account.lastFour);
    }
  });
});
