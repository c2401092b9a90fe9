import type { Queryable } from "../../driver.ts";

/** Takes the waiting deliveries of one type of event to a subscription out of the queue, for good. */
export async function dropWaitingDeliveries(
  tx: Queryable,
  { merchantId, key, type }: { merchantId: string; key: string; type: string },
): Promise<void> {
  await tx.query(
    `UPDATE deliveries SET state = 'dropped', next_at = NULL
      WHERE merchant_id = $1 AND subscription_key = $2 AND next_at IS NOT NULL
        AND event_id IN (SELECT id FROM events WHERE merchant_id = $1 AND type = $3)`,
    [merchantId, key, type],
  );
}
