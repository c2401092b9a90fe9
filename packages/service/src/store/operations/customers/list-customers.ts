import type { Queryable } from "../../driver.ts";
import type { CustomerRecord } from "../../records.ts";

/** The merchant's customers, the newest first. */
export async function listCustomers(
  db: Queryable,
  { merchantId, limit }: { merchantId: string; limit: number },
): Promise<CustomerRecord[]> {
  return db.query<CustomerRecord>(
    `SELECT id, first_name AS "firstName", last_name AS "lastName", email, status,
        created_at AS "createdAt"
      FROM customers WHERE merchant_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2`,
    [merchantId, limit],
  );
}
