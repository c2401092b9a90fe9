import { profiles } from "@countersign/schemas/profiles";
import { systemClock } from "../../src/clock.ts";
import { createService } from "../../src/create-service.ts";
import type { Merchant } from "../../src/store/tables/merchants.ts";
import type { Driver } from "../../src/store/driver.ts";
import { migrate } from "../../src/store/migrate.ts";
import type { UseCases } from "../../src/use-cases/use-cases.ts";
import { newPayment } from "../payments.ts";
import { testVault } from "../test-vault.ts";

const DAY = 86_400_000;

export interface SharedDatabase {
  readonly merchant: Merchant;
  readonly token: string;
  /** A payment of 10 000.00, settled three weeks ago. */
  readonly paymentId: string;
  readonly useCases: UseCases;
  /** Requests refunds of 0.01 that are due. */
  readonly askDueRefunds: (count: number) => Promise<void>;
}

/** A database with a merchant, of which each event goes to `receiver`. Its clock lags three weeks behind. */
export async function shareDatabase(driver: Driver, receiver: string): Promise<SharedDatabase> {
  const clock = { ...systemClock, now: () => Date.now() - 21 * DAY };
  const vault = testVault();
  await migrate(driver, { now: clock.now() });
  const options = {
    driver,
    clock,
    vault,
    profile: profiles.standard,
    endpoints: { allowLoopback: true },
  };
  const service = createService(options);
  const { useCases } = service;
  const scopes = ["payments", "core"];
  const made = await useCases.createMerchant({ name: "Example", clock: "live", scopes });
  if (!made.ok) throw new Error(made.code);
  const { merchant } = made;
  const order = { merchantId: merchant.id, clientId: null, scopes, lifetimeSeconds: null };
  const token = await useCases.createToken(order);
  const paymentId = await newPayment(service, merchant, { cents: 1_000_000n });
  await useCases.settlePayment(merchant, { paymentId });
  const subscribed = await useCases.subscribe(merchant, {
    url: receiver,
    secretKey: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    subscriptionDetails: { type: "CATEGORY", details: ["PAYMENT"] },
  });
  if (!subscribed.ok) throw new Error(subscribed.code);
  const refund = { paymentId, amountCents: 1n, clientReferenceId: null, softDescriptor: null };
  return {
    merchant,
    token,
    paymentId,
    useCases,
    askDueRefunds: async (count) => {
      // They wait for each other at their payment: more at once would wait for a connection too.
      const keys = Array.from({ length: count }, (_, index) => `due-${index}`);
      while (keys.length > 0) {
        const asked = keys.splice(0, 8).map((requestKey) => ({ ...refund, requestKey }));
        await Promise.all(asked.map((one) => useCases.askRefund(merchant, one)));
      }
    },
  };
}
