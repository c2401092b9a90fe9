import type { Queryable } from "../../driver.ts";

export type ReplayOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: "DELIVERY_NOT_FOUND" | "SUBSCRIPTION_CLOSED" };

export interface Replay {
  readonly merchantId: string;
  readonly id: string;
  /** When it is due: time of the delivery's clock, in milliseconds. */
  readonly at: number;
}

/**
 * Puts a delivery in the queue again, whatever became of it: same event, same bytes, same id, one
 * further attempt. Numbers of attempts go on, since they fence: a replay of an exhausted delivery has
 * no second attempt, one of a delivered one continues its schedule.
 */
export async function replayDelivery(
  tx: Queryable,
  { merchantId, id, at }: Replay,
): Promise<ReplayOutcome> {
  const [subscription] = await tx.query<{ status: string }>(
    `SELECT subscriptions.status FROM subscriptions JOIN deliveries
       ON deliveries.subscription_key = subscriptions.key
     WHERE deliveries.merchant_id = $1 AND deliveries.id = $2`,
    [merchantId, id],
  );
  if (subscription === undefined) return { ok: false, code: "DELIVERY_NOT_FOUND" };
  if (subscription.status === "CLOSED") return { ok: false, code: "SUBSCRIPTION_CLOSED" };
  await tx.query(
    "UPDATE deliveries SET state = 'waiting', next_at = $3 WHERE merchant_id = $1 AND id = $2",
    [merchantId, id, at],
  );
  return { ok: true };
}
