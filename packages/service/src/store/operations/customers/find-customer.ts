import type { Queryable } from "../../driver.ts";
import type { CustomerRecord } from "../../records.ts";

/** The merchant's customer; another merchant's is not found. */
export async function findCustomer(
  db: Queryable,
  { merchantId, id }: { merchantId: string; id: string },
): Promise<CustomerRecord | undefined> {
  const [row] = await db.query<CustomerRecord>(
    `SELECT id, first_name AS "firstName", last_name AS "lastName", email, status,
        created_at AS "createdAt"
      FROM customers WHERE merchant_id = $1 AND id = $2`,
    [merchantId, id],
  );
  return row;
}
