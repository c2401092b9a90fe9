import type { Queryable, SqlValue } from "../../driver.ts";

export interface DeliveryFilter {
  readonly merchantId: string;
  readonly id?: string | undefined;
  readonly eventId?: string | undefined;
  readonly subscriptionKey?: string | undefined;
  /** At most this many. */
  readonly limit: number;
}

/** A delivery as its merchant may see it. */
export interface DeliveryRecord {
  readonly id: string;
  readonly eventId: string;
  readonly type: string;
  readonly subscriptionKey: string;
  readonly state: "waiting" | "delivered" | "exhausted" | "dropped";
  /** Attempts that were claimed; one that a dead worker began has no record. */
  readonly attempts: number;
  /** Time of the delivery's clock, in milliseconds; `null` where none follows. */
  readonly nextAt: number | null;
  readonly createdAt: number;
}

/** The merchant's deliveries, the newest first. */
export function listDeliveries(db: Queryable, filter: DeliveryFilter): Promise<DeliveryRecord[]> {
  const params: SqlValue[] = [filter.merchantId];
  const conditions = ["deliveries.merchant_id = $1"];
  for (const [column, value] of [
    ["deliveries.id", filter.id],
    ["deliveries.event_id", filter.eventId],
    ["deliveries.subscription_key", filter.subscriptionKey],
  ] as const) {
    if (value !== undefined) conditions.push(`${column} = $${params.push(value)}`);
  }
  return db.query<DeliveryRecord>(
    `SELECT deliveries.id, event_id AS "eventId", events.type,
       subscription_key AS "subscriptionKey", state, attempts, next_at AS "nextAt",
       deliveries.created_at AS "createdAt"
     FROM deliveries JOIN events ON events.id = deliveries.event_id
     WHERE ${conditions.join(" AND ")}
     ORDER BY deliveries.seq DESC LIMIT $${params.push(filter.limit)}`,
    params,
  );
}
