import type { Queryable } from "../../driver.ts";
import type { RefundRecord, RefundStatus } from "../../records.ts";

export type RefundChange = Pick<RefundRecord, "status" | "dueAt" | "errorCode" | "errorMessage">;

/**
 * Writes a refund's new state.
 *
 * @throws {Error} The refund is not in the status that `before` was read with: a fault of this
 *   program, since it is locked in between.
 */
export async function updateRefund(
  tx: Queryable,
  before: { merchantId: string; id: string; status: RefundStatus },
  change: RefundChange,
): Promise<void> {
  const rows = await tx.query(
    `UPDATE payments SET status = $4, due_at = $5, error_code = $6, error_message = $7
      WHERE merchant_id = $1 AND id = $2 AND status = $3 AND direction = 'CREDIT' RETURNING id`,
    [
      before.merchantId,
      before.id,
      before.status,
      change.status,
      change.dueAt,
      change.errorCode,
      change.errorMessage,
    ],
  );
  if (rows.length !== 1) throw new Error(`refund ${before.id} has changed under its lock`);
}
