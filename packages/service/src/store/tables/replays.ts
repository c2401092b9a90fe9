import type { Queryable } from "../driver.ts";
import type { AdminAction } from "./admin-actions.ts";
import type { Merchant } from "./merchants.ts";
import type { SubscriptionStatus } from "./subscriptions.ts";

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

/** What is attempted again. */
export type Replayed =
  /** One delivery, whatever became of it. */
  | { readonly kind: "delivery"; readonly id: string }
  /** Those that are exhausted, of events written at `since` or later, in the time of their clock. */
  | { readonly kind: "failed"; readonly since: number }
  /** All of a subscription that are not waiting. */
  | { readonly kind: "subscription"; readonly key: string };

export interface Requeue {
  readonly merchantId: string;
  readonly what: Replayed;
  /** For the audit trail: 1 to 64 characters. */
  readonly askedBy: string;
  /** When they are due: time of their clock, in milliseconds. */
  readonly at: number;
  /** At most this many. */
  readonly limit: number;
  /** Only those with greater ids. */
  readonly after: string;
}

interface Chosen {
  readonly id: string;
}

/**
 * Puts deliveries of subscriptions that are not closed in the queue again, and writes who asked for it: same
 * event, same bytes, same id. Numbers of attempts go on, since they fence.
 *
 * @returns The ids, in their order.
 */
export async function requeueDeliveries(tx: Queryable, requeue: Requeue): Promise<string[]> {
  const { merchantId, what, askedBy, at, limit, after } = requeue;
  const [condition, value] = conditionOf(what);
  // Nobody closes one of them before this transaction ends: what waits for it is seen by whoever drops it.
  await tx.query(
    `SELECT key FROM subscriptions WHERE merchant_id = $1 AND status <> 'CLOSED' ORDER BY key FOR KEY SHARE`,
    [merchantId],
  );
  const chosen = await tx.query<Chosen>(
    `SELECT id FROM deliveries
     WHERE merchant_id = $1 AND ${condition} AND id > $3
       AND EXISTS (SELECT 1 FROM subscriptions
         WHERE subscriptions.key = deliveries.subscription_key AND status <> 'CLOSED')
     ORDER BY id LIMIT $4 FOR UPDATE`,
    [merchantId, value, after, limit],
  );
  if (chosen.length === 0) return [];
  const ids = chosen.map(({ id }) => id);
  await tx.query(
    `INSERT INTO replays (delivery_id, merchant_id, asked_by, state, attempts, at)
     SELECT id, merchant_id, CAST($2 AS text), state, attempts, CAST($3 AS bigint) FROM deliveries
     WHERE merchant_id = $1 AND id IN (${placesOf(ids, 4)})`,
    [merchantId, askedBy, at, ...ids],
  );
  await tx.query(
    `UPDATE deliveries SET state = 'waiting', next_at = $2
     WHERE merchant_id = $1 AND id IN (${placesOf(ids, 3)})`,
    [merchantId, at, ...ids],
  );
  return ids;
}

const placesOf = (ids: readonly string[], first: number): string =>
  ids.map((_, index) => `$${index + first}`).join(", ");

function conditionOf(what: Replayed): readonly [condition: string, value: string | number] {
  switch (what.kind) {
    case "delivery":
      return ["id = $2", what.id];
    case "failed":
      return ["state = 'exhausted' AND created_at >= $2", what.since];
    case "subscription":
      return ["state <> 'waiting' AND subscription_key = $2", what.key];
    default:
      return what satisfies never;
  }
}

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

export type ResumeOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: "SUBSCRIPTION_NOT_FOUND" | "SUBSCRIPTION_CLOSED" };

export interface Resume {
  readonly merchantId: string;
  readonly key: string;
  /** Time of the subscription's clock, in milliseconds. */
  readonly at: number;
  /** For the audit trail: 1 to 64 characters. Default `merchant`. */
  readonly askedBy?: string;
}

/**
 * Lets a paused subscription go on: what waits for it is attempted, its failures are counted from the
 * beginning, and who asked is written. An active one stays as it is; a closed one never opens again.
 */
export async function resumeSubscription(
  tx: Queryable,
  { merchantId, key, at, askedBy = "merchant" }: Resume,
): Promise<ResumeOutcome> {
  const [subscription] = await tx.query<{ status: string; failures: number }>(
    `SELECT status, consecutive_failures AS failures FROM subscriptions
     WHERE merchant_id = $1 AND key = $2 FOR UPDATE`,
    [merchantId, key],
  );
  if (subscription === undefined) return { ok: false, code: "SUBSCRIPTION_NOT_FOUND" };
  if (subscription.status === "CLOSED") return { ok: false, code: "SUBSCRIPTION_CLOSED" };
  if (subscription.status !== "PAUSED") return { ok: true };
  await tx.query(
    `UPDATE subscriptions
     SET status = 'ACTIVE', consecutive_failures = 0, failing_since = NULL, updated_at = $3
     WHERE merchant_id = $1 AND key = $2`,
    [merchantId, key, at],
  );
  await tx.query(
    `INSERT INTO resumes (subscription_key, merchant_id, asked_by, failures, at)
     VALUES ($1, $2, $3, $4, $5)`,
    [key, merchantId, askedBy, subscription.failures, at],
  );
  return { ok: true };
}

/** A line of the audit trail. */
export interface ReplayRecord {
  readonly deliveryId: string;
  readonly askedBy: string;
  /** What the delivery was until then, and after how many attempts. */
  readonly state: string;
  readonly attempts: number;
  /** Time of the delivery's clock, in milliseconds. */
  readonly at: number;
}

/** The merchant's replays, the newest first. */
export function listReplays(
  db: Queryable,
  { merchantId, limit }: { merchantId: string; limit: number },
): Promise<ReplayRecord[]> {
  return db.query<ReplayRecord>(
    `SELECT delivery_id AS "deliveryId", asked_by AS "askedBy", state, attempts, at
     FROM replays WHERE merchant_id = $1 ORDER BY at DESC, delivery_id DESC LIMIT $2`,
    [merchantId, limit],
  );
}

/** A line of the audit trail of all merchants. */
export interface TrailLine {
  readonly what: AdminAction["what"] | "delivery.replay" | "subscription.resume";
  /** The id of what was changed. */
  readonly subject: string;
  readonly merchantId: string;
  readonly askedBy: string;
  /** What a replayed delivery was until then; a resumed subscription was `PAUSED`. Else `null`. */
  readonly state: string | null;
  /** Attempts of a replayed delivery until then, or failures in a row of a resumed subscription. */
  readonly attempts: number | null;
  /** Time of the merchant's clock for replays and resumes, else real time, in milliseconds. */
  readonly at: number;
}

/** Who changed what by `serve admin`, or had deliveries replayed or subscriptions resumed; the latest first. */
export function listTrail(db: Queryable, { limit }: { limit: number }): Promise<TrailLine[]> {
  return db.query<TrailLine>(
    `SELECT 'delivery.replay' AS what, delivery_id AS subject, merchant_id AS "merchantId",
       asked_by AS "askedBy", state, attempts, at FROM replays
     UNION ALL
     SELECT 'subscription.resume', subscription_key, merchant_id, asked_by, 'PAUSED', failures, at
     FROM resumes
     UNION ALL
     SELECT what, subject, merchant_id, asked_by, NULL, NULL, at FROM admin_actions
     ORDER BY at DESC, subject LIMIT $1`,
    [limit],
  );
}
