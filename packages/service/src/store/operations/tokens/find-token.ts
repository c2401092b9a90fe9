import type { Queryable } from "../../driver.ts";
import type { TokenRecord } from "../../records.ts";

interface Row {
  merchantId: string;
  clockId: string;
  clientId: string | null;
  scopes: string;
  expiresAt: number | null;
}

/** The token of a SHA-256, also an expired one: the caller compares with real time. */
export async function findToken(db: Queryable, hash: string): Promise<TokenRecord | undefined> {
  const [row] = await db.query<Row>(
    `SELECT t.merchant_id AS "merchantId", m.clock_id AS "clockId", t.client_id AS "clientId",
        t.scopes, t.expires_at AS "expiresAt"
      FROM tokens t JOIN merchants m ON m.id = t.merchant_id WHERE t.hash = $1`,
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
