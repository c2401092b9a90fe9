import type { Queryable } from "../../driver.ts";
import type { SubscriptionRecord } from "../../records.ts";
import { subscriptionColumns, toSubscription, type SubscriptionRow } from "./subscription-row.ts";

/** The merchant's subscription, which nobody else changes before this transaction ends. */
export async function lockSubscription(
  tx: Queryable,
  { merchantId, key }: { merchantId: string; key: string },
): Promise<SubscriptionRecord | undefined> {
  const [row] = await tx.query<SubscriptionRow>(
    `SELECT ${subscriptionColumns} FROM subscriptions
      WHERE merchant_id = $1 AND key = $2 FOR UPDATE`,
    [merchantId, key],
  );
  return row && toSubscription(row);
}
