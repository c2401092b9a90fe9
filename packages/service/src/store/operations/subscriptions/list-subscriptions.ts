import type { Queryable } from "../../driver.ts";
import type { SubscriptionRecord } from "../../records.ts";
import { subscriptionColumns, toSubscription, type SubscriptionRow } from "./subscription-row.ts";

/** The merchant's subscriptions, the newest first; never their secrets. */
export async function listSubscriptions(
  db: Queryable,
  { merchantId, limit }: { merchantId: string; limit: number },
): Promise<SubscriptionRecord[]> {
  const rows = await db.query<SubscriptionRow>(
    `SELECT ${subscriptionColumns} FROM subscriptions WHERE merchant_id = $1
      ORDER BY created_at DESC, key DESC LIMIT $2`,
    [merchantId, limit],
  );
  return rows.map(toSubscription);
}
