import type { Merchant } from "../store/tables/merchants.ts";
import { changeDebit, type ChangeDebitOutcome } from "./change-debit.ts";
import type { Context } from "./context.ts";

/** The bank has taken a debit on: it is still processing (S 3.1). */
export function authorizePayment(
  context: Context,
  merchant: Merchant,
  { paymentId }: { paymentId: string },
): Promise<ChangeDebitOutcome> {
  return changeDebit(context, merchant, {
    paymentId,
    move: ({ status }) => {
      if (status === "AUTHORIZED") return "done";
      if (status !== "CREATED") return undefined;
      return {
        change: { status: "AUTHORIZED" },
        event: "payment.authorized",
        refund: (refund) => refund,
      };
    },
  });
}
