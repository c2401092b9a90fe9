import type { Refund } from "@countersign/schemas";
import type { RefundRecord } from "../../store/tables/payments.ts";

/** A refund as S 2.2 has it: `errorDetails` with TERMINAL_FAILED alone. */
export function refundResource(refund: RefundRecord): Refund {
  const { id: paymentId, clientReferenceId, status: paymentStatus } = refund;
  if (paymentStatus !== "TERMINAL_FAILED") return { paymentId, paymentStatus, clientReferenceId };
  const { errorCode, errorMessage } = refund;
  if (errorCode === null || errorMessage === null) throw new Error(`${paymentId} has no reason`);
  const errorDetails = { errorCode, errorMessage };
  return { paymentId, paymentStatus, clientReferenceId, errorDetails };
}
