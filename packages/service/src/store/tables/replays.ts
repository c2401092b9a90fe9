import { updateRow, type Queryable } from "../driver.ts";
import type { Merchant } from "./merchants.ts";
import type { SubscriptionStatus } from "./subscriptions.ts";

/** The deliveries that are attempted again. */
export type Replayed =
  /** One delivery, whatever became of it. */
  | { readonly kind: "delivery"; readonly id: string }
  /** All of a subscription that are not waiting; `id` is its key. */
  | { readonly kind: "subscription"; readonly id: string }
  /** Those that are exhausted, of events written at `since` or later, in milliseconds of their clock. */
  | { readonly kind: "failed"; readonly since: number };

const ROWS = {
  delivery: `deliveries JOIN subscriptions ON subscriptions.key = deliveries.subscription_key
    WHERE deliveries.id = $1`,
  subscription: "subscriptions WHERE subscriptions.key = $1",
} as const;

/** Returns the owner of a subscription, or of a delivery. The caller judges if it may be known. */
export async function findOwner(
  db: Queryable,
  { kind, id }: Exclude<Replayed, { kind: "failed" }>,
): Promise<(Merchant & { readonly status: SubscriptionStatus }) | undefined> {
  const [row] = await db.query<Merchant & { readonly status: SubscriptionStatus }>(
    `SELECT subscriptions.merchant_id AS id, subscriptions.clock_id AS "clockId", status
     FROM ${ROWS[kind]}`,
    [id],
  );
  return row;
}

interface Requeue {
  readonly merchantId: string;
  readonly what: Replayed;
  /** When they are due: time of their clock, in milliseconds. */
  readonly at: number;
  readonly limit: number;
  /** The id after which the page begins. */
  readonly after: string;
}

/**
 * Puts deliveries of subscriptions that are not closed in the queue again: same event, same bytes, same id. Numbers of
 * attempts go on, since they fence. Returns the ids, in their order.
 */
export async function requeueDeliveries(tx: Queryable, requeue: Requeue): Promise<string[]> {
  const { merchantId, what, at, limit, after } = requeue;
  const value = what.kind === "failed" ? what.since : what.id;
  // Nobody closes one of them before this transaction ends: what waits for it is seen by whoever drops it.
  await tx.query(
    `SELECT key FROM subscriptions WHERE merchant_id = $1 AND status <> 'CLOSED' ORDER BY key FOR KEY SHARE`,
    [merchantId],
  );
  // A replay always changes the due time, also while a namespace's clock stands still: the record of an attempt
  // in flight recognizes it by that.
  const requeued = await tx.query<{ id: string }>(
    `WITH chosen AS MATERIALIZED (SELECT id FROM deliveries
       WHERE merchant_id = $1 AND ${CONDITIONS[what.kind]} AND id > $3
         AND EXISTS (SELECT 1 FROM subscriptions
           WHERE subscriptions.key = deliveries.subscription_key AND status <> 'CLOSED')
       ORDER BY id LIMIT $4 FOR UPDATE)
     UPDATE deliveries SET state = 'waiting',
       next_at = CASE WHEN CAST($5 AS bigint) - next_at BETWEEN 0 AND 999 THEN next_at - 1 ELSE $5 END
     WHERE id IN (SELECT id FROM chosen) RETURNING id`,
    [merchantId, value, after, limit, at],
  );
  return requeued.map(({ id }) => id).toSorted();
}

const CONDITIONS = {
  delivery: "id = $2",
  failed: "state = 'exhausted' AND created_at >= $2",
  subscription: "state <> 'waiting' AND subscription_key = $2",
} as const;

/** Pauses a subscription that this transaction has locked, or lets it go on with its failures counted anew. */
export async function setSubscriptionStatus(
  tx: Queryable,
  { key, status, at }: { key: string; status: "ACTIVE" | "PAUSED"; at: number },
): Promise<void> {
  const anew = status === "ACTIVE" ? { consecutiveFailures: 0, failingSince: null } : {};
  await updateRow(tx, "subscriptions", { key: { key }, set: { status, updatedAt: at, ...anew } });
}
