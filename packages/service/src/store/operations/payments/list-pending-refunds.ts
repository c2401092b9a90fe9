import type { Queryable } from "../../driver.ts";
import type { RefundRecord } from "../../records.ts";
import { paymentColumns, toPayment, type PaymentRow } from "./payment-row.ts";

/** The PENDING refunds of a debit, the oldest first, locked until this transaction ends. */
export async function listPendingRefunds(
  tx: Queryable,
  { merchantId, originalId }: { merchantId: string; originalId: string },
): Promise<RefundRecord[]> {
  const rows = await tx.query<PaymentRow>(
    `SELECT ${paymentColumns} FROM payments
      WHERE merchant_id = $1 AND original_id = $2 AND status = 'PENDING'
      ORDER BY created_at, id FOR UPDATE`,
    [merchantId, originalId],
  );
  return rows.map(toPayment).filter((payment) => payment.direction === "CREDIT");
}
