import type { Queryable } from "../../driver.ts";
import type { AccountRecord } from "../../records.ts";

export async function insertAccount(
  tx: Queryable,
  { merchantId, ...account }: AccountRecord & { merchantId: string },
): Promise<void> {
  await tx.query(
    `INSERT INTO accounts
        (id, customer_id, merchant_id, institution, last_four, type, status, preferred, created_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      account.id,
      account.customerId,
      merchantId,
      account.institution,
      account.lastFour,
      account.type,
      account.status,
      account.preferred ? 1 : 0,
      account.createdAt,
    ],
  );
}
