import type { Queryable } from "../../driver.ts";
import type { Merchant } from "../../tables/merchants.ts";
import type { SubscriptionStatus } from "../../tables/subscriptions.ts";

const ROWS = {
  delivery: `deliveries JOIN subscriptions ON subscriptions.key = deliveries.subscription_key
    WHERE deliveries.id = $1`,
  subscription: "subscriptions WHERE subscriptions.key = $1",
} as const;

/** A merchant, with the status of the subscription of its that was asked for. */
export interface Owner extends Merchant {
  readonly status: SubscriptionStatus;
}

/** Whose a subscription is, or that of a delivery. Whether the caller may know is the caller's to judge. */
export async function findOwner(
  db: Queryable,
  { kind, id }: { readonly kind: keyof typeof ROWS; readonly id: string },
): Promise<Owner | undefined> {
  const [row] = await db.query<Owner>(
    `SELECT subscriptions.merchant_id AS id, subscriptions.clock_id AS "clockId", status
     FROM ${ROWS[kind]}`,
    [id],
  );
  return row;
}
