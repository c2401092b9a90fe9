import type { Queryable } from "../../driver.ts";
import type { PaymentRecord } from "../../records.ts";
import { paymentColumns, toPayment, type PaymentRow } from "./payment-row.ts";

/** The merchant's payment record, debit or refund, that holds a `requestKey`. */
export async function findPaymentByKey(
  db: Queryable,
  { merchantId, requestKey }: { merchantId: string; requestKey: string },
): Promise<PaymentRecord | undefined> {
  const [row] = await db.query<PaymentRow>(
    `SELECT ${paymentColumns} FROM payments WHERE merchant_id = $1 AND request_key = $2`,
    [merchantId, requestKey],
  );
  return row && toPayment(row);
}
