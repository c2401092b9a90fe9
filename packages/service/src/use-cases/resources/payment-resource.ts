import type { Payment } from "@countersign/schemas";
import type { PaymentRecord } from "../../store/tables/payments.ts";
import { writtenAmount, writtenTime, type WrittenAmount } from "./json-text.ts";

/** A `Payment` on its way into JSON text. */
export type WrittenPayment = Omit<Payment, "amount"> & { readonly amount: WrittenAmount };

/** The public form of a payment record, debit or refund. */
export function paymentResource(payment: PaymentRecord): WrittenPayment {
  const settledAt = payment.direction === "DEBIT" ? payment.settledAt : null;
  return {
    paymentId: payment.id,
    direction: payment.direction,
    ...(payment.direction === "CREDIT" && { originalPaymentId: payment.originalId }),
    customerId: payment.customerId,
    amount: writtenAmount(payment.amountCents),
    paymentStatus: payment.status,
    clientReferenceId: payment.clientReferenceId,
    creationDate: writtenTime(payment.createdAt),
    ...(settledAt !== null && { settlementDate: writtenTime(settledAt) }),
    covered: payment.direction === "DEBIT" && payment.covered,
    ...errorDetails(payment),
  };
}

function errorDetails({ errorCode, errorMessage }: PaymentRecord): Pick<Payment, "errorDetails"> {
  if (errorCode === null || errorMessage === null) return {};
  return { errorDetails: { errorCode, errorMessage } };
}
