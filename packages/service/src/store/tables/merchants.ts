import { insertRow, updateRow, type Queryable } from "../driver.ts";

/** A merchant with the clock of its rows. */
export interface Merchant {
  readonly id: string;
  /** `live` is real time; each sandbox namespace has a separate clock. */
  readonly clockId: string;
}

interface NewMerchant extends Merchant {
  readonly name: string;
  readonly createdAt: number;
}

export interface ClientRecord {
  readonly id: string;
  readonly merchantId: string;
  /** SHA-256 of the client's secret, hexadecimal. */
  readonly secretHash: string;
  /** Grows with each rotation. */
  readonly secretVersion: number;
  /** SHA-256 of the secret before the last rotation. */
  readonly previousHash: string | null;
  /** Real time in milliseconds, exclusive, until which the previous secret is valid. */
  readonly previousUntil: number | null;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  /** Real time, in milliseconds; `null` if the client is not revoked. */
  readonly revokedAt: number | null;
}

/** Returns a merchant by its id. The caller must have authorized the access. */
export async function findMerchant(db: Queryable, id: string): Promise<Merchant | undefined> {
  const [row] = await db.query<{ id: string; clockId: string }>(
    `SELECT id, clock_id AS "clockId" FROM merchants WHERE id = $1`,
    [id],
  );
  return row;
}

/** Creates a merchant, or gives it another name. */
export async function putMerchant(
  tx: Queryable,
  merchant: NewMerchant,
): Promise<"created" | "changed" | "unchanged"> {
  if (await insertRow(tx, "merchants", { ...merchant }, "any")) return "created";
  const rows = await tx.query(
    "UPDATE merchants SET name = $2 WHERE id = $1 AND name <> $2 RETURNING id",
    [merchant.id, merchant.name],
  );
  return rows.length === 1 ? "changed" : "unchanged";
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
export const insertClient = (
  tx: Queryable,
  client: Omit<ClientRecord, "previousHash" | "previousUntil" | "revokedAt">,
): Promise<boolean> =>
  insertRow(tx, "clients", { ...client, scopes: client.scopes.join(" ") }, "any");

const clientColumns = `id, merchant_id AS "merchantId", secret_hash AS "secretHash",
  secret_version AS "secretVersion", previous_hash AS "previousHash", previous_until AS "previousUntil", scopes,
  created_at AS "createdAt", revoked_at AS "revokedAt"`;

/** Returns a client of any merchant: the caller is not known before. */
export async function findClient(db: Queryable, id: string): Promise<ClientRecord | undefined> {
  const [row] = await db.query<Omit<ClientRecord, "scopes"> & { readonly scopes: string }>(
    `SELECT ${clientColumns} FROM clients WHERE id = $1`,
    [id],
  );
  return row && { ...row, scopes: row.scopes.split(" ") };
}

/** Replaces a client's secret, or refuses its secrets and tokens from now on. */
export async function updateClient(
  tx: Queryable,
  id: string,
  change: Omit<Partial<ClientRecord>, "id" | "merchantId" | "scopes">,
): Promise<void> {
  await updateRow(tx, "clients", { key: { id }, set: change });
}

/** True if a client of the merchant has the secret with this SHA-256, or had it before its last rotation. */
export async function hasClientSecret(
  db: Queryable,
  { merchantId, secretHash }: { merchantId: string; secretHash: string },
): Promise<boolean> {
  const rows = await db.query(
    `SELECT id FROM clients
      WHERE merchant_id = $1 AND (secret_hash = $2 OR previous_hash = $2) LIMIT 1`,
    [merchantId, secretHash],
  );
  return rows.length > 0;
}
