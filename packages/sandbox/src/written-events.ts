import type { EventRecord, Queryable } from "@countersign/service";

/** An event with the place at which it was written. */
export interface WrittenEvent extends EventRecord {
  readonly place: number;
}

/**
 * Events of a namespace that were written after a place, the oldest first. The place is SQLite's own row
 * number: a clock that stands still gives any number of events one time, and their ids are random.
 */
export async function writtenEvents(
  db: Queryable,
  { merchantId, after, limit }: { merchantId: string; after: number; limit: number },
): Promise<WrittenEvent[]> {
  // `+` keeps SQLite from the index by merchant: there are few rows after a place, of whomever.
  return db.query<WrittenEvent>(
    `SELECT rowid AS place, id, type, category, payload, created_at AS "createdAt" FROM events
      WHERE +merchant_id = $1 AND rowid > $2 ORDER BY rowid LIMIT $3`,
    [merchantId, after, limit],
  );
}

/**
 * The place of a namespace's last event; 0 where it has none. Of its own ones: what another namespace has
 * written may be taken back by a reset, and its place be given anew.
 */
export async function lastPlace(db: Queryable, merchantId: string): Promise<number> {
  const [row] = await db.query<{ place: number }>(
    "SELECT coalesce(max(rowid), 0) AS place FROM events WHERE merchant_id = $1",
    [merchantId],
  );
  return row?.place ?? 0;
}
