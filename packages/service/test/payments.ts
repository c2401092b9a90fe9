import type { Merchant } from "../src/store/tables/merchants.ts";
import type { RunningService } from "../src/start-service.ts";

/** A customer of the merchant with a linked account. */
export async function newCustomer(
  { useCases }: Pick<RunningService, "useCases">,
  merchant: Merchant,
): Promise<string> {
  const { id } = await useCases.createCustomer(merchant, {
    firstName: "Ada",
    lastName: "Osei",
    email: "ada.osei@example.com",
  });
  await useCases.linkAccount(merchant, {
    customerId: id,
    institution: "First Example Bank",
    lastFour: "0042",
    type: "checking",
  });
  return id;
}

/** A payment of a new customer, still processing. */
export async function newPayment(
  service: Pick<RunningService, "useCases">,
  merchant: Merchant,
  { cents = 10_000n, requestKey }: { cents?: bigint; requestKey?: string } = {},
): Promise<string> {
  const customerId = await newCustomer(service, merchant);
  const made = await service.useCases.createPayment(merchant, {
    customerId,
    amountCents: cents,
    ...(requestKey !== undefined && { requestKey }),
  });
  if (!made.ok) throw new Error(made.code);
  return made.payment.id;
}
