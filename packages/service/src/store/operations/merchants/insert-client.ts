import type { Queryable } from "../../driver.ts";
import type { ClientRecord } from "../../records.ts";

/** `false` where the client's id is taken. */
export async function insertClient(
  tx: Queryable,
  { id, merchantId, secretHash, scopes, createdAt }: ClientRecord & { createdAt: number },
): Promise<boolean> {
  const rows = await tx.query(
    `INSERT INTO clients (id, merchant_id, secret_hash, scopes, created_at)
      VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING id`,
    [id, merchantId, secretHash, scopes.join(" "), createdAt],
  );
  return rows.length === 1;
}
