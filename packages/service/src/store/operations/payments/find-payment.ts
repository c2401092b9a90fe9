import type { Queryable } from "../../driver.ts";
import type { PaymentRecord } from "../../records.ts";
import { paymentColumns, toPayment, type PaymentRow } from "./payment-row.ts";

/** The merchant's payment or refund; another merchant's is not found. */
export async function findPayment(
  db: Queryable,
  { merchantId, id }: { merchantId: string; id: string },
): Promise<PaymentRecord | undefined> {
  const [row] = await db.query<PaymentRow>(
    `SELECT ${paymentColumns} FROM payments WHERE merchant_id = $1 AND id = $2`,
    [merchantId, id],
  );
  return row && toPayment(row);
}
