import type { Queryable } from "../../driver.ts";
import type { Merchant } from "../../records.ts";
import { givenRows, rowsParameter } from "../given-rows.ts";

export interface NewDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly subscriptionKey: string;
  /** When the event was written, and so when its first attempt is due. */
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

/** Puts events in the queues of subscriptions: one statement, however many there are. */
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
