import { onSettled } from "@countersign/rules";
import type { Merchant } from "../store/tables/merchants.ts";
import { changeDebit, type ChangeDebitOutcome } from "./change-debit.ts";
import type { Context } from "./context.ts";

/**
 * A debit has settled: its waiting refunds get their threshold, counted from the settlement and not
 * from the request (S 3.1); those that have reached it are AUTHORIZED.
 *
 * @param options `settledAt` in milliseconds of the payment's clock, from the payment's creation to
 *   now: what is outside counts as the nearer of the two. Default: now.
 * @throws {RangeError} The bank calendar does not reach the threshold.
 */
export function settlePayment(
  context: Context,
  merchant: Merchant,
  { paymentId, settledAt }: { paymentId: string; settledAt?: number },
): Promise<ChangeDebitOutcome> {
  return changeDebit(context, merchant, {
    paymentId,
    move: (debit, now) => {
      if (debit.status === "SUCCEEDED") return "done";
      if (debit.status !== "CREATED" && debit.status !== "AUTHORIZED") return undefined;
      const at = Math.min(Math.max(settledAt ?? now, debit.createdAt), now);
      const { hold } = context.policy;
      return {
        change: { status: "SUCCEEDED", settledAt: at },
        event: "payment.succeeded",
        // Covered while it was processing: its refunds have failed already, none waits.
        refund: (refund) => onSettled(refund, { settledAt: at, now, hold }),
      };
    },
  });
}
