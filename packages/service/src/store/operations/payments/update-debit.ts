import type { Queryable } from "../../driver.ts";
import type { DebitRecord, DebitStatus } from "../../records.ts";

export type DebitChange = Pick<
  DebitRecord,
  "status" | "covered" | "settledAt" | "failedAt" | "errorCode" | "errorMessage"
>;

/**
 * Writes a debit's new state.
 *
 * @throws {Error} The debit is not in the status that `before` was read with: a fault of this
 *   program, since it is locked in between.
 */
export async function updateDebit(
  tx: Queryable,
  before: { merchantId: string; id: string; status: DebitStatus },
  change: DebitChange,
): Promise<void> {
  const rows = await tx.query(
    `UPDATE payments SET status = $4, covered = $5, settled_at = $6, failed_at = $7,
        error_code = $8, error_message = $9
      WHERE merchant_id = $1 AND id = $2 AND status = $3 AND direction = 'DEBIT' RETURNING id`,
    [
      before.merchantId,
      before.id,
      before.status,
      change.status,
      change.covered ? 1 : 0,
      change.settledAt,
      change.failedAt,
      change.errorCode,
      change.errorMessage,
    ],
  );
  if (rows.length !== 1) throw new Error(`payment ${before.id} has changed under its lock`);
}
