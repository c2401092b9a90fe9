import type { Queryable } from "../../driver.ts";
import type { Merchant } from "../../records.ts";

/** The merchant of an id that somebody has vouched for. */
export async function findMerchant(db: Queryable, id: string): Promise<Merchant | undefined> {
  const [row] = await db.query<{ id: string; clockId: string }>(
    `SELECT id, clock_id AS "clockId" FROM merchants WHERE id = $1`,
    [id],
  );
  return row;
}
