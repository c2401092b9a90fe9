import type { Queryable } from "../../driver.ts";
import type { RefundRecord } from "../../records.ts";
import { paymentColumns, toPayment, type PaymentRow } from "./payment-row.ts";

/**
 * A refund that is due by `now`, locked until this transaction ends; `undefined` where it is due no
 * more, or another process has locked it and moves it.
 *
 * @throws {Error} The row is no refund's: its columns contradict each other.
 */
export async function lockDueRefund(
  tx: Queryable,
  { id, now }: { id: string; now: number },
): Promise<RefundRecord | undefined> {
  const [row] = await tx.query<PaymentRow>(
    `SELECT ${paymentColumns} FROM payments
      WHERE id = $1 AND due_at <= $2 AND direction = 'CREDIT' FOR UPDATE SKIP LOCKED`,
    [id, now],
  );
  const payment = row && toPayment(row);
  return payment?.direction === "CREDIT" ? payment : undefined;
}
