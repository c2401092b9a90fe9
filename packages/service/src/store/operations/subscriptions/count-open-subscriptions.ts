import type { Queryable } from "../../driver.ts";

/** How many of a merchant's subscriptions are not closed. */
export async function countOpenSubscriptions(tx: Queryable, merchantId: string): Promise<number> {
  const [row] = await tx.query<{ open: number }>(
    `SELECT CAST(count(*) AS bigint) AS open FROM subscriptions
      WHERE merchant_id = $1 AND status <> 'CLOSED'`,
    [merchantId],
  );
  return row?.open ?? 0;
}
