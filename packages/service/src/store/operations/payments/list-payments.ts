import type { Queryable } from "../../driver.ts";
import type { PaymentRecord } from "../../records.ts";
import { paymentColumns, toPayment, type PaymentRow } from "./payment-row.ts";

/** The merchant's payments and refunds, the newest first. */
export async function listPayments(
  db: Queryable,
  { merchantId, limit }: { merchantId: string; limit: number },
): Promise<PaymentRecord[]> {
  const rows = await db.query<PaymentRow>(
    `SELECT ${paymentColumns} FROM payments WHERE merchant_id = $1
      ORDER BY created_at DESC, id DESC LIMIT $2`,
    [merchantId, limit],
  );
  return rows.map(toPayment);
}
