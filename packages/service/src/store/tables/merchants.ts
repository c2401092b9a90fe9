import type { Queryable } from "../driver.ts";

/** A merchant with the clock of its rows. */
export interface Merchant {
  readonly id: string;
  /** `live` is real time; each sandbox namespace has a separate clock. */
  readonly clockId: string;
}

export interface ClientRecord {
  readonly id: string;
  readonly merchantId: string;
  /** SHA-256 of the client's secret, hexadecimal. */
  readonly secretHash: string;
  readonly scopes: readonly string[];
}

export async function insertMerchant(
  tx: Queryable,
  { id, clockId, name, createdAt }: Merchant & { name: string; createdAt: number },
): Promise<void> {
  await tx.query("INSERT INTO merchants (id, name, clock_id, created_at) VALUES ($1, $2, $3, $4)", [
    id,
    name,
    clockId,
    createdAt,
  ]);
}

/** Returns a merchant by its id. The caller must have authorized the access. */
export async function findMerchant(db: Queryable, id: string): Promise<Merchant | undefined> {
  const [row] = await db.query<{ id: string; clockId: string }>(
    `SELECT id, clock_id AS "clockId" FROM merchants WHERE id = $1`,
    [id],
  );
  return row;
}

/**
 * Locks a merchant until this transaction ends, so that its rows can be counted before one is added. Others
 * may still insert rows that refer to it: the update changes no key.
 */
export async function lockMerchant(tx: Queryable, merchantId: string): Promise<void> {
  await tx.query("UPDATE merchants SET name = name WHERE id = $1", [merchantId]);
}

/** The merchants with an exhausted delivery of an event that was written at `since` or later, the oldest first. */
export function listMerchantsWithFailed(
  db: Queryable,
  { since }: { readonly since: number },
): Promise<Merchant[]> {
  return db.query<Merchant>(
    `SELECT id, clock_id AS "clockId" FROM merchants
     WHERE EXISTS (SELECT 1 FROM deliveries
       WHERE merchant_id = merchants.id AND created_at >= $1 AND state = 'exhausted')
     ORDER BY seq`,
    [since],
  );
}

/** @returns `false` if the client's id is taken. */
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

/** Returns a client of any merchant: the caller is not known before. */
export async function findClient(db: Queryable, id: string): Promise<ClientRecord | undefined> {
  const [row] = await db.query<Omit<ClientRecord, "scopes"> & { scopes: string }>(
    `SELECT id, merchant_id AS "merchantId", secret_hash AS "secretHash", scopes
      FROM clients WHERE id = $1`,
    [id],
  );
  return row && { ...row, scopes: row.scopes.split(" ") };
}

/** True if a client of the merchant has the secret with this SHA-256. */
export async function hasClientSecret(
  db: Queryable,
  { merchantId, secretHash }: { merchantId: string; secretHash: string },
): Promise<boolean> {
  const rows = await db.query(
    "SELECT id FROM clients WHERE merchant_id = $1 AND secret_hash = $2 LIMIT 1",
    [merchantId, secretHash],
  );
  return rows.length > 0;
}
