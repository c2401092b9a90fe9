import type { Queryable } from "../../driver.ts";
import type { Merchant } from "../../records.ts";

/** The merchants with an exhausted delivery of an event that was written at `since` or later, by their ids. */
export function listMerchantsWithFailed(
  db: Queryable,
  { since }: { readonly since: number },
): Promise<Merchant[]> {
  return db.query<Merchant>(
    `SELECT id, clock_id AS "clockId" FROM merchants
     WHERE EXISTS (SELECT 1 FROM deliveries
       WHERE merchant_id = merchants.id AND created_at >= $1 AND state = 'exhausted')
     ORDER BY id`,
    [since],
  );
}
