import { insertRow, updateRow, type Queryable } from "../driver.ts";
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
  lock: "" | "FOR UPDATE" = "",
): Promise<CustomerRecord | undefined> {
  const [row] = await db.query<CustomerRecord>(
    `SELECT ${customerColumns} FROM customers WHERE merchant_id = $1 AND id = $2 ${lock}`,
    [merchantId, id],
  );
  return row;
}

/** True if any merchant has a customer with this id. */
export async function isCustomerId(db: Queryable, id: string): Promise<boolean> {
  return (await db.query("SELECT id FROM customers WHERE id = $1", [id])).length === 1;
}

/** Finds a customer, and locks its status and accounts until this transaction ends. */
export const lockCustomer = (
  tx: Queryable,
  named: { merchantId: string; id: string },
): Promise<CustomerRecord | undefined> => findCustomer(tx, named, "FOR UPDATE");

/** The merchant's customers, the newest first. */
export const listCustomers = (
  db: Queryable,
  { merchantId, limit }: { merchantId: string; limit: number },
): Promise<CustomerRecord[]> =>
  db.query(
    `SELECT ${customerColumns} FROM customers WHERE merchant_id = $1 ORDER BY seq DESC LIMIT $2`,
    [merchantId, limit],
  );

/** Changes the status of a customer that this transaction has locked. */
export async function setCustomerStatus(
  tx: Queryable,
  { merchantId, id, status }: { merchantId: string; id: string; status: CustomerStatus },
): Promise<void> {
  await updateRow(tx, "customers", { key: { merchantId, id }, set: { status } });
}

const accountColumns = `id, customer_id AS "customerId", institution, last_four AS "lastFour",
  type, status, preferred, created_at AS "createdAt"`;

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
  const [row] = await db.query<Omit<AccountRecord, "preferred"> & { preferred: number }>(
    `SELECT ${accountColumns} FROM accounts WHERE merchant_id = $1 AND customer_id = $2
      ORDER BY preferred DESC, seq DESC LIMIT 1`,
    [merchantId, customerId],
  );
  return row && { ...row, preferred: row.preferred === 1 };
}

/** Updates an account's status and preference. */
export async function updateAccount(
  tx: Queryable,
  account: { merchantId: string; id: string; status: string; preferred: boolean },
): Promise<void> {
  const { merchantId, id, status, preferred } = account;
  await updateRow(tx, "accounts", { key: { merchantId, id }, set: { status, preferred } });
}
