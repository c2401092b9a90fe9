import type { Queryable } from "../../driver.ts";
import type { SubscriptionRecord } from "../../records.ts";

/** Writes what a subscription still selects, and that it is closed where nothing is left. */
export async function updateSelection(
  tx: Queryable,
  merchantId: string,
  subscription: Pick<SubscriptionRecord, "key" | "selection" | "status"> & { updatedAt: number },
): Promise<void> {
  await tx.query(
    `UPDATE subscriptions SET selection = $3, status = $4, updated_at = $5
      WHERE merchant_id = $1 AND key = $2`,
    [
      merchantId,
      subscription.key,
      JSON.stringify(subscription.selection),
      subscription.status,
      subscription.updatedAt,
    ],
  );
}
