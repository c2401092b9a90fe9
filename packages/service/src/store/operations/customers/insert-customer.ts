import type { Queryable } from "../../driver.ts";
import type { CustomerRecord, Merchant } from "../../records.ts";

export async function insertCustomer(
  tx: Queryable,
  merchant: Merchant,
  customer: CustomerRecord,
): Promise<void> {
  await tx.query(
    `INSERT INTO customers
        (id, merchant_id, clock_id, first_name, last_name, email, status, created_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      customer.id,
      merchant.id,
      merchant.clockId,
      customer.firstName,
      customer.lastName,
      customer.email,
      customer.status,
      customer.createdAt,
    ],
  );
}
