import { insertRow, type Queryable } from "../driver.ts";
import type { Merchant } from "./merchants.ts";

export interface TokenRecord {
  readonly merchant: Merchant;
  /** The OAuth client that requested it; `null` if an operator did. */
  readonly clientId: string | null;
  readonly scopes: readonly string[];
  /** Real time in milliseconds, exclusive; `null` never expires. */
  readonly expiresAt: number | null;
}

export interface NewToken extends Omit<TokenRecord, "merchant"> {
  /** SHA-256 of the token, hexadecimal. The token itself is stored nowhere. */
  readonly hash: string;
  readonly merchantId: string;
  /** Real time, in milliseconds. */
  readonly createdAt: number;
}

/** Does nothing if the token exists already. */
export async function insertToken(tx: Queryable, token: NewToken): Promise<void> {
  await insertRow(tx, "tokens", { ...token, scopes: token.scopes.join(" ") }, "any");
}

type Row = Pick<TokenRecord, "clientId" | "expiresAt"> & Merchant & { readonly scopes: string };

/** Returns the token with a SHA-256, even if expired. Tokens of a revoked client are not found. */
export async function findToken(db: Queryable, hash: string): Promise<TokenRecord | undefined> {
  const [row] = await db.query<Row>(
    `SELECT m.id, m.clock_id AS "clockId", t.client_id AS "clientId",
        t.scopes, t.expires_at AS "expiresAt"
      FROM tokens t JOIN merchants m ON m.id = t.merchant_id
        LEFT JOIN clients c ON c.id = t.client_id
      WHERE t.hash = $1 AND c.revoked_at IS NULL`,
    [hash],
  );
  if (row === undefined) return undefined;
  const { id, clockId, scopes, ...token } = row;
  return { ...token, merchant: { id, clockId }, scopes: scopes.split(" ") };
}

/** Deletes some tokens that had expired by `now`, in real time: more than one call inserts. */
export async function deleteExpiredTokens(tx: Queryable, now: number): Promise<void> {
  await tx.query(
    `WITH expired AS (
       SELECT hash FROM tokens WHERE expires_at <= $1
       ORDER BY expires_at LIMIT 10 FOR UPDATE SKIP LOCKED)
     DELETE FROM tokens WHERE hash IN (SELECT hash FROM expired)`,
    [now],
  );
}
