import { onCovered } from "@countersign/rules";
import type { Merchant } from "../store/tables/merchants.ts";
import { changeDebit, type ChangeDebitOutcome } from "./change-debit.ts";
import type { Context } from "./context.ts";

/**
 * A debit falls into the service's cover: the merchant keeps the money although the customer was not
 * debited. Waiting refunds fail with `CUSTOMER_NOT_DEBITED`, at any age of the debit, and so does
 * every later one (S 3.1). The cover is no state of the debit and has no event of its own.
 */
export function coverPayment(
  context: Context,
  merchant: Merchant,
  { paymentId }: { paymentId: string },
): Promise<ChangeDebitOutcome> {
  return changeDebit(context, merchant, {
    paymentId,
    move: (debit) =>
      debit.covered ? "done" : { change: { covered: true }, event: undefined, refund: onCovered },
  });
}
