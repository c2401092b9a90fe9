import type { Queryable } from "../../driver.ts";
import type { EventRecord } from "../../records.ts";

/** The merchant's events, the newest first. */
export async function listEvents(
  db: Queryable,
  { merchantId, limit }: { merchantId: string; limit: number },
): Promise<EventRecord[]> {
  return db.query<EventRecord>(
    `SELECT id, type, category, payload, created_at AS "createdAt" FROM events
      WHERE merchant_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2`,
    [merchantId, limit],
  );
}
