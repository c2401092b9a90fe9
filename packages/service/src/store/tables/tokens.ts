import { insertRow, type Queryable } from "../driver.ts";
import type { Merchant } from "./merchants.ts";

export interface TokenRecord {
  readonly merchant: Merchant;
  readonly clientId: string | null;
  readonly scopes: readonly string[];
  /** Real time in milliseconds, exclusive; `null` never expires. */
  readonly expiresAt: number | null;
}

export interface NewToken {
  /** SHA-256 of the token, hexadecimal. The token itself is stored nowhere. */
  readonly hash: string;
  readonly merchantId: string;
  readonly clientId: string | null;
  readonly scopes: readonly string[];
  /** Real time, in milliseconds. */
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

/** Does nothing if the token exists already. */
export async function insertToken(tx: Queryable, token: NewToken): Promise<void> {
  await insertRow(tx, "tokens", { ...token, scopes: token.scopes.join(" ") }, "any");
}

interface Row {
  merchantId: string;
  clockId: string;
  clientId: string | null;
  scopes: string;
  expiresAt: number | null;
}

/**
 * Returns the token with a SHA-256, even if expired: the caller compares with real time. Tokens of a revoked client
 * are not found.
 */
export async function findToken(db: Queryable, hash: string): Promise<TokenRecord | undefined> {
  const [row] = await db.query<Row>(
    `SELECT t.merchant_id AS "merchantId", m.clock_id AS "clockId", t.client_id AS "clientId",
        t.scopes, t.expires_at AS "expiresAt"
      FROM tokens t JOIN merchants m ON m.id = t.merchant_id
        LEFT JOIN clients c ON c.id = t.client_id
      WHERE t.hash = $1 AND c.revoked_at IS NULL`,
    [hash],
  );
  return (
    row && {
      merchant: { id: row.merchantId, clockId: row.clockId },
      clientId: row.clientId,
      scopes: row.scopes.split(" "),
      expiresAt: row.expiresAt,
    }
  );
}

/** Deletes tokens that had expired by `now`, in real time. @returns How many: at most `limit`. */
export async function deleteExpiredTokens(
  tx: Queryable,
  { now, limit }: { now: number; limit: number },
): Promise<number> {
  const rows = await tx.query(
    `WITH expired AS (
       SELECT hash FROM tokens WHERE expires_at <= $1
       ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)
     DELETE FROM tokens WHERE hash IN (SELECT hash FROM expired) RETURNING hash`,
    [now, limit],
  );
  return rows.length;
}
