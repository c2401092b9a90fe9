import type { Queryable } from "../../driver.ts";
import type { AccountRecord } from "../../records.ts";
import { accountColumns, toAccount, type AccountRow } from "./account-row.ts";

/** The account that a customer's record shows: the preferred one, else the one linked last. */
export async function findPreferredAccount(
  db: Queryable,
  { merchantId, customerId }: { merchantId: string; customerId: string },
): Promise<AccountRecord | undefined> {
  const [row] = await db.query<AccountRow>(
    `SELECT ${accountColumns} FROM accounts WHERE merchant_id = $1 AND customer_id = $2
      ORDER BY preferred DESC, created_at DESC, id DESC LIMIT 1`,
    [merchantId, customerId],
  );
  return row && toAccount(row);
}
