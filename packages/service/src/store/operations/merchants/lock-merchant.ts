import type { Queryable } from "../../driver.ts";

/**
 * Lets nobody else count and add to what a merchant has, until this transaction ends. Rows that refer to
 * the merchant are written meanwhile: the update changes no key.
 */
export async function lockMerchant(tx: Queryable, merchantId: string): Promise<void> {
  await tx.query("UPDATE merchants SET name = name WHERE id = $1", [merchantId]);
}
