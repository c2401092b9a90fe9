import type { Queryable } from "../driver.ts";
import type { Merchant } from "./merchants.ts";

/** A stored event; `payload` is the text that is signed and sent. */
export interface EventRecord {
  readonly id: string;
  readonly type: string;
  readonly category: string;
  readonly payload: string;
  readonly createdAt: number;
}

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

/** The merchant's events, the newest first. */
export async function listEvents(
  db: Queryable,
  { merchantId, limit }: { merchantId: string; limit: number },
): Promise<EventRecord[]> {
  return db.query<EventRecord>(
    `SELECT id, type, category, payload, created_at AS "createdAt" FROM events
      WHERE merchant_id = $1 ORDER BY seq DESC LIMIT $2`,
    [merchantId, limit],
  );
}
