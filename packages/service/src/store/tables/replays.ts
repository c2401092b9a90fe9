import type { Queryable } from "../driver.ts";
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

/** A merchant, with the status of the requested subscription. */
export interface Owner extends Merchant {
  readonly status: SubscriptionStatus;
}

/** Returns the owner of a subscription, or of a delivery. The caller judges if it may be known. */
export async function findOwner(
  db: Queryable,
  { kind, id }: Exclude<Replayed, { kind: "failed" }>,
): Promise<Owner | undefined> {
  const [row] = await db.query<Owner>(
    `SELECT subscriptions.merchant_id AS id, subscriptions.clock_id AS "clockId", status
     FROM ${ROWS[kind]}`,
    [id],
  );
  return row;
}

export interface Requeue {
  readonly merchantId: string;
  readonly what: Replayed;
  /** When they are due: time of their clock, in milliseconds. */
  readonly at: number;
  /** At most this many. */
  readonly limit: number;
  /** The id after which the page begins. */
  readonly after: string;
}

/**
 * Puts deliveries of subscriptions that are not closed in the queue again: same event, same bytes, same id. Numbers of attempts go on, since they fence.
 *
 * @returns The ids, in their order.
 */
export async function requeueDeliveries(tx: Queryable, requeue: Requeue): Promise<string[]> {
  const { merchantId, what, at, limit, after } = requeue;
  const [condition, value] = conditionOf(what);
  // Nobody closes one of them before this transaction ends: what waits for it is seen by whoever drops it.
  await tx.query(
    `SELECT key FROM subscriptions WHERE merchant_id = $1 AND status <> 'CLOSED' ORDER BY key FOR KEY SHARE`,
    [merchantId],
  );
  const chosen = await tx.query<{ id: string }>(
    `SELECT id FROM deliveries
     WHERE merchant_id = $1 AND ${condition} AND id > $3
       AND EXISTS (SELECT 1 FROM subscriptions
         WHERE subscriptions.key = deliveries.subscription_key AND status <> 'CLOSED')
     ORDER BY id LIMIT $4 FOR UPDATE`,
    [merchantId, value, after, limit],
  );
  if (chosen.length === 0) return [];
  const ids = chosen.map(({ id }) => id);
  // A replay always changes the due time, also while a namespace's clock stands still: the completion of an attempt
  // in flight recognizes it by that.
  await tx.query(
    `UPDATE deliveries SET state = 'waiting',
       next_at = CASE WHEN CAST($2 AS bigint) - next_at BETWEEN 0 AND 999 THEN next_at - 1 ELSE $2 END
     WHERE merchant_id = $1 AND id IN (${ids.map((_, index) => `$${index + 3}`).join(", ")})`,
    [merchantId, at, ...ids],
  );
  return ids;
}

function conditionOf(what: Replayed): readonly [condition: string, value: string | number] {
  switch (what.kind) {
    case "delivery":
      return ["id = $2", what.id];
    case "failed":
      return ["state = 'exhausted' AND created_at >= $2", what.since];
    case "subscription":
      return ["state <> 'waiting' AND subscription_key = $2", what.id];
    default:
      return what satisfies never;
  }
}

/**
 * Pauses a subscription that this transaction has locked, or lets it go on with its failures
 * counted anew.
 */
export async function setSubscriptionStatus(
  tx: Queryable,
  change: {
    readonly key: string;
    readonly status: "ACTIVE" | "PAUSED";
    /** Time of the subscription's clock, in milliseconds. */
    readonly at: number;
  },
): Promise<void> {
  const { key, status, at } = change;
  const anew = status === "ACTIVE" ? ", consecutive_failures = 0, failing_since = NULL" : "";
  await tx.query(`UPDATE subscriptions SET status = $2, updated_at = $3${anew} WHERE key = $1`, [
    key,
    status,
    at,
  ]);
}
