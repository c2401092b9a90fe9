import type { Queryable } from "../../driver.ts";

/** A subscription with how its deliveries fare. Never its secret. */
export interface SubscriptionHealth {
  readonly key: string;
  readonly url: string;
  readonly status: "ACTIVE" | "PAUSED" | "CLOSED";
  /** JSON of a `Selection`. */
  readonly selection: string;
  readonly createdAt: number;
  readonly consecutiveFailures: number;
  /** Times of the subscription's clock, in milliseconds. */
  readonly failingSince: number | null;
  readonly lastSuccessAt: number | null;
}

/** The merchant's subscriptions, the newest first. */
export function listSubscriptionHealth(
  db: Queryable,
  { merchantId, limit }: { merchantId: string; limit: number },
): Promise<SubscriptionHealth[]> {
  return db.query<SubscriptionHealth>(
    `SELECT key, url, status, selection, created_at AS "createdAt",
       consecutive_failures AS "consecutiveFailures", failing_since AS "failingSince",
       last_success_at AS "lastSuccessAt"
     FROM subscriptions WHERE merchant_id = $1 ORDER BY seq DESC LIMIT $2`,
    [merchantId, limit],
  );
}
