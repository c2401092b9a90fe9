import { onReturned } from "@countersign/rules";
import { instantOf } from "../store/tables/clocks.ts";
import { findPayment, lockPayment } from "../store/tables/payments.ts";
import type { Merchant } from "../store/tables/merchants.ts";
import { changeRefund } from "./change-refund.ts";
import type { Context } from "./context.ts";

export type ReturnRefundOutcome =
  | { readonly ok: true }
  /** `INVALID_TRANSITION`: the refund is not AUTHORIZED, or the profile knows no late returns. */
  | { readonly ok: false; readonly code: "PAYMENT_NOT_FOUND" | "INVALID_TRANSITION" };

/**
 * The receiving bank returns a refund's money: with a profile that knows late returns, AUTHORIZED
 * becomes TERMINAL_FAILED with `REFUND_RETURNED`, and the amount may be refunded again.
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export async function returnRefund(
  context: Context,
  merchant: Merchant,
  { paymentId }: { paymentId: string },
): Promise<ReturnRefundOutcome> {
  const named = { merchantId: merchant.id, id: paymentId };
  const outcome = await context.driver.transaction<ReturnRefundOutcome>(async (tx) => {
    const unlocked = await findPayment(tx, named);
    if (unlocked?.direction !== "CREDIT") return { ok: false, code: "PAYMENT_NOT_FOUND" };
    // The debit first, as everybody locks them.
    await lockPayment(tx, { merchantId: merchant.id, id: unlocked.originalId });
    const record = await lockPayment(tx, named);
    if (record?.direction !== "CREDIT") return { ok: false, code: "PAYMENT_NOT_FOUND" };
    const at = await instantOf(tx, context.clock, merchant.clockId);
    const { lateReturn } = context.policy.refund;
    const returned = await changeRefund(tx, context, {
      record,
      change: (refund) => onReturned(refund, { lateReturn }),
      at,
    });
    return returned ? { ok: true } : { ok: false, code: "INVALID_TRANSITION" };
  });
  if (outcome.ok) context.onWork();
  return outcome;
}
