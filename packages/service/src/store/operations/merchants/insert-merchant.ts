import type { Queryable } from "../../driver.ts";
import type { Merchant } from "../../records.ts";

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
