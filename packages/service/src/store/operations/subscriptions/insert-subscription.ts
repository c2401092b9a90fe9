import type { SealedSecret } from "../../../secrets/vault.ts";
import type { Queryable } from "../../driver.ts";
import type { Merchant, SubscriptionRecord } from "../../records.ts";

/** @param subscription `secret` signs its deliveries; who sends them opens it, and nobody else. */
export async function insertSubscription(
  tx: Queryable,
  merchant: Merchant,
  subscription: SubscriptionRecord & { secret: SealedSecret; createdAt: number },
): Promise<void> {
  await tx.query(
    `INSERT INTO subscriptions
        (key, merchant_id, clock_id, url, secret, secret_key_id, selection, status, created_at,
          updated_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`,
    [
      subscription.key,
      merchant.id,
      merchant.clockId,
      subscription.url,
      subscription.secret.text,
      subscription.secret.keyId,
      JSON.stringify(subscription.selection),
      subscription.status,
      subscription.createdAt,
    ],
  );
}
