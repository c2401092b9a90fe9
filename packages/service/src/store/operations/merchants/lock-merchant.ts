import type { Queryable } from "../../driver.ts";

/** Holds a merchant until this transaction ends: whoever counts what it has counts alone. */
export async function lockMerchant(tx: Queryable, merchantId: string): Promise<void> {
  await tx.query("SELECT id FROM merchants WHERE id = $1 FOR UPDATE", [merchantId]);
}
