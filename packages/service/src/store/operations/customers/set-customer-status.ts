import type { Queryable } from "../../driver.ts";
import type { CustomerStatus } from "../../records.ts";

/** Moves a customer from one status to another; `false` where it is no longer in `from`. */
export async function setCustomerStatus(
  tx: Queryable,
  change: { merchantId: string; id: string; from: CustomerStatus; to: CustomerStatus },
): Promise<boolean> {
  const rows = await tx.query(
    `UPDATE customers SET status = $4
      WHERE merchant_id = $1 AND id = $2 AND status = $3 RETURNING id`,
    [change.merchantId, change.id, change.from, change.to],
  );
  return rows.length === 1;
}
