import type { Queryable } from "../../driver.ts";

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

/** A token that is stored already stays as it is. */
export async function insertToken(tx: Queryable, token: NewToken): Promise<void> {
  await tx.query(
    `INSERT INTO tokens (hash, merchant_id, client_id, scopes, created_at, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
    [
      token.hash,
      token.merchantId,
      token.clientId,
      token.scopes.join(" "),
      token.createdAt,
      token.expiresAt,
    ],
  );
}
