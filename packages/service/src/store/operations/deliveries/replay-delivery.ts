import type { Queryable } from "../../driver.ts";
import { requeueDeliveries } from "./requeue-deliveries.ts";

export type ReplayOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: "DELIVERY_NOT_FOUND" | "SUBSCRIPTION_CLOSED" };

export interface Replay {
  readonly merchantId: string;
  readonly id: string;
  /** When it is due: time of the delivery's clock, in milliseconds. */
  readonly at: number;
  /** For the audit trail. Default `merchant`. */
  readonly askedBy?: string;
}

/**
 * Puts a delivery in the queue again, whatever became of it: same event, same bytes, same id, one
 * further attempt; one that is under way is it where it succeeds. Numbers of attempts go on, since they
 * fence: a replay of an exhausted delivery has no second attempt, one of a delivered one continues its
 * schedule.
 */
export async function replayDelivery(
  tx: Queryable,
  { merchantId, id, at, askedBy = "merchant" }: Replay,
): Promise<ReplayOutcome> {
  const [subscription] = await tx.query<{ status: string }>(
    `SELECT subscriptions.status FROM subscriptions JOIN deliveries
       ON deliveries.subscription_key = subscriptions.key
     WHERE deliveries.merchant_id = $1 AND deliveries.id = $2`,
    [merchantId, id],
  );
  if (subscription === undefined) return { ok: false, code: "DELIVERY_NOT_FOUND" };
  if (subscription.status === "CLOSED") return { ok: false, code: "SUBSCRIPTION_CLOSED" };
  const what = { kind: "delivery", id } as const;
  await requeueDeliveries(tx, { merchantId, what, askedBy, at, limit: 1, after: "" });
  return { ok: true };
}
