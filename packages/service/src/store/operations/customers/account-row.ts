import type { AccountRecord } from "../../records.ts";

export const accountColumns = `id, customer_id AS "customerId", institution, last_four AS "lastFour",
  type, status, preferred, created_at AS "createdAt"`;

export type AccountRow = Omit<AccountRecord, "preferred"> & { preferred: number };

export function toAccount(row: AccountRow): AccountRecord {
  return { ...row, preferred: row.preferred === 1 };
}
