import type { Queryable } from "../../driver.ts";
import type { ClientRecord } from "../../records.ts";

/** The client of an id, whoever's it is: this is how a caller first says who it is. */
export async function findClient(db: Queryable, id: string): Promise<ClientRecord | undefined> {
  const [row] = await db.query<Omit<ClientRecord, "scopes"> & { scopes: string }>(
    `SELECT id, merchant_id AS "merchantId", secret_hash AS "secretHash", scopes
      FROM clients WHERE id = $1`,
    [id],
  );
  return row && { ...row, scopes: row.scopes.split(" ") };
}
