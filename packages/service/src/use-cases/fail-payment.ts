import { onFailed } from "@countersign/rules";
import type { Merchant } from "../store/tables/merchants.ts";
import { changeDebit, type ChangeDebitOutcome } from "./change-debit.ts";
import type { Context } from "./context.ts";

export interface FailPayment {
  readonly paymentId: string;
  /** `CANCELED` before it settles alone; `TERMINAL_FAILED` also afterwards, as a return. Default the latter. */
  readonly status?: "TERMINAL_FAILED" | "CANCELED";
}

/**
 * A debit has failed: every refund of it that still waits fails with `CUSTOMER_NOT_DEBITED`, however
 * long its threshold has passed. An AUTHORIZED one stays, its money is moving (S 3.1).
 */
export function failPayment(
  context: Context,
  merchant: Merchant,
  { paymentId, status = "TERMINAL_FAILED" }: FailPayment,
): Promise<ChangeDebitOutcome> {
  return changeDebit(context, merchant, {
    paymentId,
    move: (debit, now) => {
      if (debit.status === status) return "done";
      const admitted =
        status === "CANCELED" ? ["CREATED", "AUTHORIZED"] : ["CREATED", "AUTHORIZED", "SUCCEEDED"];
      if (!admitted.includes(debit.status)) return undefined;
      const reason =
        status === "CANCELED"
          ? { errorCode: null, errorMessage: null }
          : {
              errorCode: "CUSTOMER_NOT_DEBITED",
              errorMessage: "The debit was not successful.",
            };
      return {
        change: { status, failedAt: now, ...reason },
        event: status === "CANCELED" ? "payment.canceled" : "payment.failed",
        refund: onFailed,
      };
    },
  });
}
