import type { Queryable } from "../../driver.ts";
import type { EventRecord, Merchant } from "../../records.ts";

export async function insertEvent(
  tx: Queryable,
  merchant: Merchant,
  event: EventRecord,
): Promise<void> {
  await tx.query(
    `INSERT INTO events (id, merchant_id, clock_id, type, category, payload, created_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      event.id,
      merchant.id,
      merchant.clockId,
      event.type,
      event.category,
      event.payload,
      event.createdAt,
    ],
  );
}
