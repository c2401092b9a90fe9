import type { Queryable } from "../../driver.ts";

/**
 * Takes a refund's amount from what remains of its debit; `false` where that is not enough, and then
 * nothing is taken. The condition stands in the statement itself, so that no interleaving of calls
 * takes more than the debit holds.
 */
export async function reserve(
  tx: Queryable,
  { merchantId, id, cents }: { merchantId: string; id: string; cents: bigint },
): Promise<boolean> {
  const rows = await tx.query(
    `UPDATE payments SET reserved_cents = reserved_cents + $3
      WHERE merchant_id = $1 AND id = $2 AND direction = 'DEBIT'
        AND reserved_cents + $3 <= amount_cents RETURNING id`,
    [merchantId, id, cents],
  );
  return rows.length === 1;
}
