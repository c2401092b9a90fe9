import type { Queryable } from "../../driver.ts";

/** Gives a failed refund's amount back to its debit. A CHECK refuses to give back too much. */
export async function release(
  tx: Queryable,
  { merchantId, id, cents }: { merchantId: string; id: string; cents: bigint },
): Promise<void> {
  await tx.query(
    `UPDATE payments SET reserved_cents = reserved_cents - $3
      WHERE merchant_id = $1 AND id = $2 AND direction = 'DEBIT'`,
    [merchantId, id, cents],
  );
}
