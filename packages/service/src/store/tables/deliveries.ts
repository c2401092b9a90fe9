import type { DeliveryState } from "../../delivery/types.ts";
import { insertRow, type Queryable, type SqlValue, givenRows, rowsParameter } from "../driver.ts";
import type { Merchant } from "./merchants.ts";

// A type, not an interface: it is a row of a statement's parameter.
type NewDelivery = Readonly<Record<"id" | "eventId" | "subscriptionKey", string>> & {
  readonly createdAt: number;
  /** When the first attempt is due, in milliseconds of the merchant's clock; for `live`, of the due clock. */
  readonly dueAt: number;
};

const INSERT = givenRows(
  { id: "text", eventId: "text", subscriptionKey: "text", createdAt: "bigint", dueAt: "bigint" },
  (rows) => `WITH made AS (${rows})
    INSERT INTO deliveries
      (id, event_id, subscription_key, merchant_id, clock_id, state, next_at, created_at)
    SELECT id, event_id, subscription_key, CAST($2 AS text), CAST($3 AS text), 'waiting', due_at,
      created_at
    FROM made`,
);

/** Puts events in the queues of subscriptions: one statement, however many there are. */
export async function insertDeliveries(
  tx: Queryable,
  merchant: Merchant,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  if (deliveries.length === 0) return;
  await tx.query(INSERT, [rowsParameter(deliveries), merchant.id, merchant.clockId]);
}

export interface DeliveryFilter {
  /** Default: all merchants, for an operator. */
  readonly merchantId?: string | undefined;
  readonly id?: string | undefined;
  readonly eventId?: string | undefined;
  readonly subscriptionKey?: string | undefined;
  readonly state?: DeliveryState | undefined;
  /** At most this many. */
  readonly limit: number;
}

/** A delivery as its merchant may see it. */
export interface DeliveryRecord {
  readonly id: string;
  readonly merchantId: string;
  readonly eventId: string;
  readonly type: string;
  readonly subscriptionKey: string;
  readonly state: DeliveryState;
  /** Completed attempts. */
  readonly attempts: number;
  /** Due time of the next attempt on the delivery's clock, in milliseconds; `null` if none follows. */
  readonly nextAt: number | null;
  readonly createdAt: number;
}

/** The deliveries of a merchant, or of all, the newest first. */
export function listDeliveries(db: Queryable, filter: DeliveryFilter): Promise<DeliveryRecord[]> {
  const params: SqlValue[] = [];
  const conditions = ["true"];
  for (const [column, value] of [
    ["deliveries.merchant_id", filter.merchantId],
    ["deliveries.state", filter.state],
    ["deliveries.id", filter.id],
    ["deliveries.event_id", filter.eventId],
    ["deliveries.subscription_key", filter.subscriptionKey],
  ] as const) {
    if (value !== undefined) conditions.push(`${column} = $${params.push(value)}`);
  }
  return db.query<DeliveryRecord>(
    `SELECT deliveries.id, deliveries.merchant_id AS "merchantId", event_id AS "eventId", events.type,
       subscription_key AS "subscriptionKey", state, attempts, next_at AS "nextAt",
       deliveries.created_at AS "createdAt"
     FROM deliveries JOIN events ON events.id = deliveries.event_id
     WHERE ${conditions.join(" AND ")}
     ORDER BY deliveries.seq DESC LIMIT $${params.push(filter.limit)}`,
    params,
  );
}

/** The record of an attempt. */
export interface AttemptRow {
  readonly deliveryId: string;
  readonly number: number;
  /** Wall time, in milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** The answer's status; `null` without an answer. */
  readonly status: number | null;
  /** An `AttemptErrorCode`; `null` with an answer. */
  readonly error: string | null;
  /** The first 1 KiB of the answer as text; `null` without an answer. */
  readonly answer: string | null;
}

/** The recorded attempts of deliveries, of each in their order. */
export async function listAttempts(
  db: Queryable,
  deliveryIds: readonly string[],
): Promise<AttemptRow[]> {
  if (deliveryIds.length === 0) return [];
  const ids = deliveryIds.map((_, index) => `$${index + 1}`).join(", ");
  return db.query<AttemptRow>(
    `SELECT delivery_id AS "deliveryId", number, started_at AS "startedAt",
       duration_ms AS "durationMs", status, error, answer
     FROM attempts WHERE delivery_id IN (${ids}) ORDER BY delivery_id, number`,
    deliveryIds,
  );
}

/**
 * When the next delivery of a clock is due, in milliseconds of that clock; it may have passed already. `undefined` if
 * none waits. Leaves out paused subscriptions.
 */
export async function nextDeliveryAt(db: Queryable, clockId: string): Promise<number | undefined> {
  const [row] = await db.query<{ nextAt: number | null }>(
    `SELECT MIN(next_at) AS "nextAt"
     FROM subscriptions JOIN deliveries ON deliveries.subscription_key = subscriptions.key
     WHERE subscriptions.clock_id = $1 AND next_at IS NOT NULL AND subscriptions.status = 'ACTIVE'`,
    [clockId],
  );
  return row?.nextAt ?? undefined;
}

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
  await insertRow(tx, "events", { ...event, merchantId: merchant.id, clockId: merchant.clockId });
}

/** The merchant's events since an instant, the oldest first, after the one with the sequence number `after`. */
export const listEventsAfter = (
  db: Queryable,
  merchantId: string,
  { since, after, limit }: Readonly<Record<"since" | "after" | "limit", number>>,
): Promise<readonly { readonly payload: string; readonly seq: number }[]> =>
  db.query(
    `SELECT payload, seq FROM events
      WHERE merchant_id = $1 AND created_at >= $2 AND seq > $3 ORDER BY seq LIMIT $4`,
    [merchantId, since, after, limit],
  );

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
