import type { Queryable } from "../../driver.ts";

/** Whether a client of the merchant has the secret with this SHA-256. */
export async function hasClientSecret(
  db: Queryable,
  { merchantId, secretHash }: { merchantId: string; secretHash: string },
): Promise<boolean> {
  const rows = await db.query(
    "SELECT id FROM clients WHERE merchant_id = $1 AND secret_hash = $2 LIMIT 1",
    [merchantId, secretHash],
  );
  return rows.length > 0;
}
