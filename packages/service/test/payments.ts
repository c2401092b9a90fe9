import { profiles } from "@countersign/schemas/profiles";
import { systemClock } from "../src/clock.ts";
import { createService } from "../src/create-service.ts";
import type { RunningService } from "../src/start-service.ts";
import type { Driver } from "../src/store/driver.ts";
import { createTables } from "../src/store/create-tables.ts";
import type { Merchant } from "../src/store/tables/merchants.ts";
import { testVault } from "./test-vault.ts";
import { createCustomer, linkAccount } from "../src/use-cases/customers.ts";
import { createMerchant } from "../src/use-cases/merchants.ts";
import { createPayment, settlePayment } from "../src/use-cases/payments.ts";
import { subscribe } from "../src/use-cases/subscriptions.ts";
import { createToken } from "../src/use-cases/tokens.ts";

export type TestMerchant = Awaited<ReturnType<typeof newMerchant>>;

/** A merchant with a client and a token of these scopes. */
export async function newMerchant(
  { context }: Pick<RunningService, "context">,
  scopes: readonly string[],
) {
  const order = { name: "Example", scopes };
  const { merchant, clientId, clientSecret } = await createMerchant(context, order);
  const token = { merchantId: merchant.id, clientId: null, scopes, lifetimeSeconds: null };
  return { ...merchant, token: await createToken(context, token), clientId, clientSecret };
}

/** A customer of the merchant with a linked account. */
export async function newCustomer(
  { context }: Pick<RunningService, "context">,
  merchant: Merchant,
): Promise<string> {
  const { id } = await createCustomer(context, merchant, {
    firstName: "Ada",
    lastName: "Osei",
    email: "ada.osei@example.com",
  });
  await linkAccount(context, merchant, {
    customerId: id,
    institution: "First Example Bank",
    lastFour: "0042",
    type: "checking",
  });
  return id;
}

/** A payment of a new customer, still processing. */
export async function newPayment(
  service: Pick<RunningService, "context">,
  merchant: Merchant,
  { cents = 10_000n, requestKey }: { cents?: bigint; requestKey?: string } = {},
): Promise<string> {
  const customerId = await newCustomer(service, merchant);
  const made = await createPayment(service.context, merchant, {
    customerId,
    amountCents: cents,
    ...(requestKey !== undefined && { requestKey }),
  });
  if (!made.ok) throw new Error(made.code);
  return made.payment.id;
}

const THREE_WEEKS_MS = 21 * 86_400_000;

/**
 * Fills an empty database with a merchant and payments that were settled three weeks ago: their refunds are due at once.
 *
 * @param url Endpoint of a subscription to the events of payments.
 */
export async function settledPayments(
  driver: Driver,
  { count, cents, url }: { readonly count: number; readonly cents: bigint; readonly url: string },
) {
  const clock = { ...systemClock, now: () => Date.now() - THREE_WEEKS_MS };
  await createTables(driver);
  const { standard: profile } = profiles;
  const service = createService({ driver, clock, vault: testVault(), profile });
  const { context } = service;
  const merchant = await newMerchant(service, ["payments", "core"]);
  const paymentIds: string[] = [];
  for (let made = 0; made < count; made += 1) {
    const paymentId = await newPayment(service, merchant, { cents });
    await settlePayment(context, merchant, { paymentId });
    paymentIds.push(paymentId);
  }
  const subscribed = await subscribe(context, merchant, {
    url,
    secretKey: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    subscriptionDetails: { type: "CATEGORY", details: ["PAYMENT"] },
  });
  if (!subscribed.ok) throw new Error(subscribed.code);
  return { context, merchant, paymentIds };
}
