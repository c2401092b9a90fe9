import type { EventRecord, Queryable } from "@countersign/service";

/** An event with its sequence number. */
export interface WrittenEvent extends EventRecord {
  readonly seq: number;
}

/**
 * Returns a namespace's events after a sequence number, the oldest first.
 */
export async function writtenEvents(
  db: Queryable,
  { merchantId, after, limit }: { merchantId: string; after: number; limit: number },
): Promise<WrittenEvent[]> {
  return db.query<WrittenEvent>(
    `SELECT seq, id, type, category, payload, created_at AS "createdAt" FROM events
      WHERE merchant_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
    [merchantId, after, limit],
  );
}

/** Returns the sequence number of a namespace's last event, 0 if it has none. */
export async function lastSeq(db: Queryable, merchantId: string): Promise<number> {
  const [row] = await db.query<{ seq: number }>(
    "SELECT coalesce(max(seq), 0) AS seq FROM events WHERE merchant_id = $1",
    [merchantId],
  );
  return row?.seq ?? 0;
}
