import type { Queryable } from "../../driver.ts";
import type { CustomerRecord } from "../../records.ts";

/**
 * The merchant's customer, whose status and accounts nobody else changes before this transaction
 * ends; another merchant's is not found.
 */
export async function lockCustomer(
  tx: Queryable,
  { merchantId, id }: { merchantId: string; id: string },
): Promise<CustomerRecord | undefined> {
  const [row] = await tx.query<CustomerRecord>(
    `SELECT id, first_name AS "firstName", last_name AS "lastName", email, status,
        created_at AS "createdAt"
      FROM customers WHERE merchant_id = $1 AND id = $2 FOR UPDATE`,
    [merchantId, id],
  );
  return row;
}
