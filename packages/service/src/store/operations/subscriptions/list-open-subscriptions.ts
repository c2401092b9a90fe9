import type { Queryable } from "../../driver.ts";
import type { SubscriptionRecord } from "../../records.ts";
import { subscriptionColumns, toSubscription, type SubscriptionRow } from "./subscription-row.ts";

/**
 * The merchant's subscriptions that take events, the oldest first. A paused one takes them too: they
 * wait until it is resumed, else a pause would lose them.
 *
 * Nobody takes events away from one of them before this transaction ends (`lockSubscription`): what
 * is bound for it is seen by whoever drops it. Settling attempts is not held up.
 */
export async function listOpenSubscriptions(
  tx: Queryable,
  merchantId: string,
): Promise<SubscriptionRecord[]> {
  const rows = await tx.query<SubscriptionRow>(
    `SELECT ${subscriptionColumns} FROM subscriptions
      WHERE merchant_id = $1 AND status <> 'CLOSED' ORDER BY created_at, key FOR KEY SHARE`,
    [merchantId],
  );
  return rows.map(toSubscription);
}
