import type { Queryable } from "../../driver.ts";

/** The types of the events whose deliveries to a subscription still wait, each once. */
export async function listWaitingTypes(
  tx: Queryable,
  { merchantId, key }: { merchantId: string; key: string },
): Promise<{ type: string; category: string }[]> {
  return tx.query<{ type: string; category: string }>(
    `SELECT DISTINCT e.type, e.category FROM deliveries d JOIN events e ON e.id = d.event_id
      WHERE d.merchant_id = $1 AND d.subscription_key = $2 AND d.next_at IS NOT NULL`,
    [merchantId, key],
  );
}
