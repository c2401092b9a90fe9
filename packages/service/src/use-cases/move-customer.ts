import { moveCustomer as nextStatus } from "@countersign/rules";
import { instantOf } from "../store/tables/clocks.ts";
import {
  lockCustomer,
  findPreferredAccount,
  setCustomerStatus,
  type CustomerRecord,
  type CustomerStatus,
} from "../store/tables/customers.ts";
import type { Merchant } from "../store/tables/merchants.ts";
import type { Context } from "./context.ts";
import { customerResource } from "./resources/customer-resource.ts";
import { writeEvent } from "./write-event.ts";

export type MoveCustomerOutcome =
  | { readonly ok: true; readonly customer: CustomerRecord }
  /** `INVALID_TRANSITION`: the customer's status does not admit the move. */
  | { readonly ok: false; readonly code: "CUSTOMER_NOT_FOUND" | "INVALID_TRANSITION" };

interface CustomerMove {
  readonly customerId: string;
  readonly move: "activate" | "deactivate";
}

/**
 * Activates or deactivates a customer (S 3.2), with its event. A customer who is there already stays,
 * without another event. Refunds of an INACTIVE customer's payments stay possible.
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export async function moveCustomer(
  context: Context,
  merchant: Merchant,
  { customerId, move }: CustomerMove,
): Promise<MoveCustomerOutcome> {
  const merchantId = merchant.id;
  const goal: CustomerStatus = move === "activate" ? "ACTIVE" : "INACTIVE";
  const outcome = await context.driver.transaction<MoveCustomerOutcome>(async (tx) => {
    const before = await lockCustomer(tx, { merchantId, id: customerId });
    if (before === undefined) return { ok: false, code: "CUSTOMER_NOT_FOUND" };
    if (before.status === goal) return { ok: true, customer: before };
    const status = nextStatus(before.status, move);
    if (
      status === undefined ||
      !context.policy.customer.admits({ from: before.status, to: status })
    ) {
      return { ok: false, code: "INVALID_TRANSITION" };
    }
    const change = { merchantId, id: customerId, from: before.status, to: status };
    // The row is locked; the move is guarded by the state that was read all the same.
    if (!(await setCustomerStatus(tx, change))) return { ok: false, code: "INVALID_TRANSITION" };
    const customer = { ...before, status };
    const account = await findPreferredAccount(tx, { merchantId, customerId });
    await writeEvent(tx, context, merchant, {
      kind: move === "activate" ? "customer.activated" : "customer.deactivated",
      data: customerResource(customer, account),
      at: await instantOf(tx, context.clock, merchant.clockId),
    });
    return { ok: true, customer };
  });
  if (outcome.ok) context.onWork();
  return outcome;
}
