import type { Selection } from "@countersign/rules";
import type { SealedSecret, SecretPlace } from "../../secrets/vault.ts";
import { insertRow, type Queryable } from "../driver.ts";
import type { Merchant } from "./merchants.ts";

export type SubscriptionStatus = "ACTIVE" | "PAUSED" | "CLOSED";

export interface SubscriptionRecord {
  readonly key: string;
  readonly url: string;
  readonly selection: Selection;
  readonly status: SubscriptionStatus;
}

const subscriptionColumns = "key, url, selection, status";

type SubscriptionRow = Omit<SubscriptionRecord, "selection"> & { selection: string };

function toSubscription(row: SubscriptionRow): SubscriptionRecord {
  // The cast: only this package writes it, as JSON of a `Selection`.
  return { ...row, selection: JSON.parse(row.selection) as Selection };
}

/** @param subscription `secret` signs the deliveries; only the sender decrypts it. */
export async function insertSubscription(
  tx: Queryable,
  merchant: Merchant,
  {
    secret,
    selection,
    ...subscription
  }: SubscriptionRecord & { secret: SealedSecret; createdAt: number },
): Promise<void> {
  await insertRow(tx, "subscriptions", {
    ...subscription,
    merchantId: merchant.id,
    clockId: merchant.clockId,
    secret: secret.text,
    secretKeyId: secret.keyId,
    selection: JSON.stringify(selection),
    updatedAt: subscription.createdAt,
  });
}

/** Returns the merchant's subscription and locks it until this transaction ends. */
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

/**
 * Lists the merchant's subscriptions that are not closed, the oldest first. Paused ones are included: their
 * events wait until they are resumed.
 *
 * Until this transaction ends, `lockSubscription` waits: a call that removes events sees the deliveries
 * written here. Recording attempts does not wait.
 */
export async function listOpenSubscriptions(
  tx: Queryable,
  merchantId: string,
): Promise<SubscriptionRecord[]> {
  const rows = await tx.query<SubscriptionRow>(
    `SELECT ${subscriptionColumns} FROM subscriptions
      WHERE merchant_id = $1 AND status <> 'CLOSED' ORDER BY seq FOR KEY SHARE`,
    [merchantId],
  );
  return rows.map(toSubscription);
}

/** Counts a merchant's subscriptions that are not closed. */
export async function countOpenSubscriptions(tx: Queryable, merchantId: string): Promise<number> {
  const [row] = await tx.query<{ open: number }>(
    `SELECT CAST(count(*) AS bigint) AS open FROM subscriptions
      WHERE merchant_id = $1 AND status <> 'CLOSED'`,
    [merchantId],
  );
  return row?.open ?? 0;
}

/** Updates a subscription's selection and status. */
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

/** Lists the types of the events that wait for a subscription, each once. */
export async function listWaitingTypes(
  tx: Queryable,
  { merchantId, key }: { merchantId: string; key: string },
): Promise<{ type: string; category: string }[]> {
  return tx.query<{ type: string; category: string }>(
    `SELECT DISTINCT e.type, e.category FROM deliveries d JOIN events e ON e.id = d.event_id
      WHERE d.merchant_id = $1 AND d.subscription_key = $2 AND d.next_at IS NOT NULL`,
    [merchantId, key],
  );
}

/** Drops a subscription's waiting deliveries of one event type, for good. */
export async function dropWaitingDeliveries(
  tx: Queryable,
  { merchantId, key, type }: { merchantId: string; key: string; type: string },
): Promise<void> {
  await tx.query(
    `UPDATE deliveries SET state = 'dropped', next_at = NULL
      WHERE merchant_id = $1 AND subscription_key = $2 AND next_at IS NOT NULL
        AND event_id IN (SELECT id FROM events WHERE merchant_id = $1 AND type = $3)`,
    [merchantId, key, type],
  );
}

/** Returns the place that a subscription's secret is encrypted for. */
export function secretPlace(subscriptionKey: string): SecretPlace {
  return { table: "subscriptions", row: subscriptionKey };
}

export interface StoredSecret {
  /** The subscription's key. */
  readonly key: string;
  /** Encrypted with the key `keyId`. */
  readonly secret: string;
  readonly keyId: string;
}

/** Returns one secret for each encryption key in use. */
export function listSecretSamples(db: Queryable): Promise<StoredSecret[]> {
  return db.query<StoredSecret>(
    `SELECT key, secret, secret_key_id AS "keyId" FROM subscriptions
      WHERE key IN (SELECT MIN(key) FROM subscriptions GROUP BY secret_key_id)`,
  );
}

/** A subscription with how its deliveries fare. Never its secret. */
export interface SubscriptionHealth {
  readonly key: string;
  readonly merchantId: string;
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

/** The subscriptions of a merchant, or of all, the newest first. */
export function listSubscriptionHealth(
  db: Queryable,
  { merchantId, limit }: { readonly merchantId?: string | undefined; readonly limit: number },
): Promise<SubscriptionHealth[]> {
  const [condition, params] =
    merchantId === undefined ? ["", []] : ["WHERE merchant_id = $2", [merchantId]];
  return db.query<SubscriptionHealth>(
    `SELECT key, merchant_id AS "merchantId", url, status, selection, created_at AS "createdAt",
       consecutive_failures AS "consecutiveFailures", failing_since AS "failingSince",
       last_success_at AS "lastSuccessAt"
     FROM subscriptions ${condition} ORDER BY seq DESC LIMIT $1`,
    [limit, ...params],
  );
}
