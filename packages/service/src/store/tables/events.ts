import type { Queryable } from "../driver.ts";
import { givenRows, rowsParameter } from "./given-rows.ts";
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

export interface NewDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly subscriptionKey: string;
  /** Creation time of the event, at which the first attempt is due. */
  readonly createdAt: number;
}

const INSERT = givenRows(
  { id: "text", event_id: "text", subscription_key: "text", created_at: "bigint" },
  (rows) => `WITH made AS (${rows})
    INSERT INTO deliveries
      (id, event_id, subscription_key, merchant_id, clock_id, state, next_at, created_at)
    SELECT id, event_id, subscription_key, CAST($2 AS text), CAST($3 AS text), 'waiting', created_at,
      created_at
    FROM made`,
);

/** Enqueues deliveries, all in one statement. */
export async function insertDeliveries(
  tx: Queryable,
  merchant: Merchant,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  if (deliveries.length === 0) return;
  const rows = deliveries.map(({ id, eventId, subscriptionKey, createdAt }) => ({
    id,
    event_id: eventId,
    subscription_key: subscriptionKey,
    created_at: createdAt,
  }));
  await tx.query(INSERT, [rowsParameter(rows), merchant.id, merchant.clockId]);
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
