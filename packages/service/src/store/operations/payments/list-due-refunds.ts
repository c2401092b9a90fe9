import type { Queryable } from "../../driver.ts";
import type { RefundRecord } from "../../records.ts";
import { paymentColumns, toPayment, type PaymentRow } from "./payment-row.ts";

/**
 * PENDING refunds that are due by `now`, of every merchant of the clock, the longest overdue first;
 * locked until this transaction ends. Those that another process has locked are left to it.
 */
export async function listDueRefunds(
  tx: Queryable,
  { clockId, now, limit }: { clockId: string; now: number; limit: number },
): Promise<RefundRecord[]> {
  const rows = await tx.query<PaymentRow>(
    `SELECT ${paymentColumns} FROM payments
      WHERE clock_id = $1 AND due_at IS NOT NULL AND due_at <= $2
      ORDER BY due_at, id LIMIT $3 FOR UPDATE SKIP LOCKED`,
    [clockId, now, limit],
  );
  return rows.map(toPayment).filter((payment) => payment.direction === "CREDIT");
}
