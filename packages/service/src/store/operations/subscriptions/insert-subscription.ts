import type { Queryable } from "../../driver.ts";
import type { Merchant, SubscriptionRecord } from "../../records.ts";

/** @param subscription `secret` signs its deliveries and is never read by anything else. */
export async function insertSubscription(
  tx: Queryable,
  merchant: Merchant,
  subscription: SubscriptionRecord & { secret: string; createdAt: number },
): Promise<void> {
  await tx.query(
    `INSERT INTO subscriptions
        (key, merchant_id, clock_id, url, secret, selection, status, created_at, updated_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)`,
    [
      subscription.key,
      merchant.id,
      merchant.clockId,
      subscription.url,
      subscription.secret,
      JSON.stringify(subscription.selection),
      subscription.status,
      subscription.createdAt,
    ],
  );
}
