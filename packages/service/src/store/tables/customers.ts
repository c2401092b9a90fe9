import { insertRow, type Queryable } from "../driver.ts";
import type { Merchant } from "./merchants.ts";

export type CustomerStatus = "CREATED" | "ACTIVE" | "INACTIVE";

export interface CustomerRecord {
  readonly id: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly status: CustomerStatus;
  readonly createdAt: number;
}

export interface AccountRecord {
  readonly id: string;
  readonly customerId: string;
  readonly institution: string;
  readonly lastFour: string;
  readonly type: string;
  readonly status: string;
  readonly preferred: boolean;
  readonly createdAt: number;
}

const customerColumns = `id, first_name AS "firstName", last_name AS "lastName", email, status,
  created_at AS "createdAt"`;

export async function insertCustomer(
  tx: Queryable,
  merchant: Merchant,
  customer: CustomerRecord,
): Promise<void> {
  const { id: merchantId, clockId } = merchant;
  await insertRow(tx, "customers", { ...customer, merchantId, clockId });
}

/** Returns the merchant's customer; another merchant's is not found. */
export async function findCustomer(
  db: Queryable,
  { merchantId, id }: { merchantId: string; id: string },
): Promise<CustomerRecord | undefined> {
  const [row] = await db.query<CustomerRecord>(
    `SELECT ${customerColumns} FROM customers WHERE merchant_id = $1 AND id = $2`,
    [merchantId, id],
  );
  return row;
}

/** True if any merchant has a customer with this id. */
export async function isCustomerId(db: Queryable, id: string): Promise<boolean> {
  return (await db.query("SELECT id FROM customers WHERE id = $1", [id])).length === 1;
}

/** Finds a customer, and locks its status and accounts until this transaction ends. */
export async function lockCustomer(
  tx: Queryable,
  { merchantId, id }: { merchantId: string; id: string },
): Promise<CustomerRecord | undefined> {
  const [row] = await tx.query<CustomerRecord>(
    `SELECT ${customerColumns} FROM customers WHERE merchant_id = $1 AND id = $2 FOR UPDATE`,
    [merchantId, id],
  );
  return row;
}

/** The merchant's customers, the newest first. */
export async function listCustomers(
  db: Queryable,
  { merchantId, limit }: { merchantId: string; limit: number },
): Promise<CustomerRecord[]> {
  return db.query<CustomerRecord>(
    `SELECT ${customerColumns} FROM customers WHERE merchant_id = $1 ORDER BY seq DESC LIMIT $2`,
    [merchantId, limit],
  );
}

/** Changes a customer's status. @returns `false` if the status has changed from `from`. */
export async function setCustomerStatus(
  tx: Queryable,
  change: { merchantId: string; id: string; from: CustomerStatus; to: CustomerStatus },
): Promise<boolean> {
  const rows = await tx.query(
    `UPDATE customers SET status = $4
      WHERE merchant_id = $1 AND id = $2 AND status = $3 RETURNING id`,
    [change.merchantId, change.id, change.from, change.to],
  );
  return rows.length === 1;
}

const accountColumns = `id, customer_id AS "customerId", institution, last_four AS "lastFour",
  type, status, preferred, created_at AS "createdAt"`;

type AccountRow = Omit<AccountRecord, "preferred"> & { preferred: number };

function toAccount(row: AccountRow): AccountRecord {
  return { ...row, preferred: row.preferred === 1 };
}

export async function insertAccount(
  tx: Queryable,
  account: AccountRecord & { merchantId: string },
): Promise<void> {
  await insertRow(tx, "accounts", { ...account });
}

/** Returns the account shown with a customer: the preferred one, else the last linked. */
export async function findPreferredAccount(
  db: Queryable,
  { merchantId, customerId }: { merchantId: string; customerId: string },
): Promise<AccountRecord | undefined> {
  const [row] = await db.query<AccountRow>(
    `SELECT ${accountColumns} FROM accounts WHERE merchant_id = $1 AND customer_id = $2
      ORDER BY preferred DESC, seq DESC LIMIT 1`,
    [merchantId, customerId],
  );
  return row && toAccount(row);
}

/** Updates an account's status and preference. */
export async function updateAccount(
  tx: Queryable,
  account: { merchantId: string; id: string; status: string; preferred: boolean },
): Promise<void> {
  await tx.query(
    "UPDATE accounts SET status = $3, preferred = $4 WHERE merchant_id = $1 AND id = $2",
    [account.merchantId, account.id, account.status, account.preferred ? 1 : 0],
  );
}
