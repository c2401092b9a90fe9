import type { Customer } from "@countersign/schemas";
import { findCustomer, findPreferredAccount } from "../store/tables/customers.ts";
import type { Merchant } from "../store/tables/merchants.ts";
import type { Context } from "./context.ts";
import { customerResource } from "./resources/customer-resource.ts";

export type GetCustomerOutcome =
  | { readonly ok: true; readonly customer: Customer }
  /** Also another merchant's: a caller cannot tell the two apart. */
  | { readonly ok: false; readonly code: "CUSTOMER_NOT_FOUND" };

/** One customer with the linked account (S 4.2). */
export async function getCustomer(
  { driver }: Pick<Context, "driver">,
  merchant: Merchant,
  customerId: string,
): Promise<GetCustomerOutcome> {
  const merchantId = merchant.id;
  const customer = await findCustomer(driver, { merchantId, id: customerId });
  if (customer === undefined) return { ok: false, code: "CUSTOMER_NOT_FOUND" };
  const account = await findPreferredAccount(driver, { merchantId, customerId });
  return { ok: true, customer: customerResource(customer, account) };
}
