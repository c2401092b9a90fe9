import type { Debit, Refund } from "./ledger.ts";

/** A refund as S 2.2 has it. */
export function refundData({ id, ask, status, reason }: Refund): object {
  const [errorCode, errorMessage] = reason ?? [];
  return {
    paymentId: id,
    paymentStatus: status,
    clientReferenceId: ask.reference ?? null,
    ...(reason && { errorDetails: { errorCode, errorMessage } }),
  };
}

/** A debit as its events tell it. */
export function debitData(debit: Debit, customerId: string): object {
  const { id, cents, status, covered, createdAt, settledAt } = debit;
  return {
    paymentId: id,
    direction: "DEBIT",
    customerId,
    amount: { currency: "USD", value: cents / 100 },
    paymentStatus: status,
    clientReferenceId: null,
    creationDate: new Date(createdAt).toISOString(),
    ...(settledAt !== undefined && { settlementDate: new Date(settledAt).toISOString() }),
    covered,
    ...(status === "TERMINAL_FAILED" && {
      errorDetails: {
        errorCode: "CUSTOMER_NOT_DEBITED",
        errorMessage: "The debit was not successful.",
      },
    }),
  };
}
