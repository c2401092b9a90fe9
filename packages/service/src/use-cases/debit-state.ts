import type { Debit } from "@countersign/rules";
import type { DebitRecord } from "../store/tables/payments.ts";

/** A debit's record as the rules of S 3.1 look at it. Cover counts at any age, also after settlement. */
export function debitState(debit: DebitRecord): Debit {
  if (debit.covered) return { state: "covered" };
  switch (debit.status) {
    case "TERMINAL_FAILED":
    case "CANCELED":
      return { state: "failed" };
    case "SUCCEEDED":
      if (debit.settledAt === null) throw new Error(`${debit.id} has settled at no time`);
      return { state: "settled", settledAt: debit.settledAt };
    case "CREATED":
    case "AUTHORIZED":
      return { state: "processing" };
    default:
      return debit.status satisfies never;
  }
}
