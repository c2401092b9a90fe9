import type { Queryable } from "../../driver.ts";
import type { PaymentRecord } from "../../records.ts";
import { paymentColumns, toPayment, type PaymentRow } from "./payment-row.ts";

/**
 * The merchant's payment or refund, which nobody else changes before this transaction ends. Whoever
 * locks a debit and its refunds locks the debit first, so that two calls never wait for each other.
 */
export async function lockPayment(
  tx: Queryable,
  { merchantId, id }: { merchantId: string; id: string },
): Promise<PaymentRecord | undefined> {
  const [row] = await tx.query<PaymentRow>(
    `SELECT ${paymentColumns} FROM payments WHERE merchant_id = $1 AND id = $2 FOR UPDATE`,
    [merchantId, id],
  );
  return row && toPayment(row);
}
