import { instantOf } from "../store/tables/clocks.ts";
import {
  lockCustomer,
  findPreferredAccount,
  updateAccount,
  type AccountRecord,
} from "../store/tables/customers.ts";
import type { Merchant } from "../store/tables/merchants.ts";
import type { Context } from "./context.ts";
import { linkedAccountResource } from "./resources/customer-resource.ts";
import { writeEvent } from "./write-event.ts";

export type DeactivateAccountOutcome =
  | { readonly ok: true; readonly account: AccountRecord }
  | { readonly ok: false; readonly code: "CUSTOMER_NOT_FOUND" | "CUSTOMER_NOT_LINKED" };

/**
 * Ends the use of the account that a customer's record shows, with its event. An INACTIVE account
 * stays, without another event.
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export async function deactivateAccount(
  context: Context,
  merchant: Merchant,
  { customerId }: { customerId: string },
): Promise<DeactivateAccountOutcome> {
  const merchantId = merchant.id;
  const outcome = await context.driver.transaction<DeactivateAccountOutcome>(async (tx) => {
    const customer = await lockCustomer(tx, { merchantId, id: customerId });
    if (customer === undefined) return { ok: false, code: "CUSTOMER_NOT_FOUND" };
    const before = await findPreferredAccount(tx, { merchantId, customerId });
    if (before === undefined) return { ok: false, code: "CUSTOMER_NOT_LINKED" };
    if (before.status === "INACTIVE") return { ok: true, account: before };
    const account = { ...before, status: "INACTIVE" };
    await updateAccount(tx, { ...account, merchantId });
    const at = await instantOf(tx, context.clock, merchant.clockId);
    await writeEvent(tx, context, merchant, {
      kind: "account.deactivated",
      data: linkedAccountResource(account),
      at,
    });
    return { ok: true, account };
  });
  if (outcome.ok) context.onWork();
  return outcome;
}
