import type { Queryable } from "../../driver.ts";
import type { Merchant } from "../../records.ts";

export interface NewDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly subscriptionKey: string;
  /** When the event was written, and so when its first attempt is due. */
  readonly createdAt: number;
}

/** Puts an event in the queue of one subscription. */
export async function insertDelivery(
  tx: Queryable,
  merchant: Merchant,
  delivery: NewDelivery,
): Promise<void> {
  await tx.query(
    `INSERT INTO deliveries
        (id, event_id, subscription_key, merchant_id, clock_id, state, next_at, created_at)
      VALUES ($1, $2, $3, $4, $5, 'waiting', $6, $6)`,
    [
      delivery.id,
      delivery.eventId,
      delivery.subscriptionKey,
      merchant.id,
      merchant.clockId,
      delivery.createdAt,
    ],
  );
}
