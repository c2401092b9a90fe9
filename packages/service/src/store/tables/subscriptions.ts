import type { Selection } from "@countersign/rules";
import { SecretKeysError, type SealedSecret, type Vault } from "../../secrets/vault.ts";
import { insertRow, updateRow, type Queryable } from "../driver.ts";
import type { Merchant } from "./merchants.ts";

export type SubscriptionStatus = "ACTIVE" | "PAUSED" | "CLOSED";

export interface SubscriptionRecord {
  readonly key: string;
  readonly url: string;
  readonly selection: Selection;
  readonly status: SubscriptionStatus;
}

async function selectSubscriptions(
  tx: Queryable,
  rest: string,
  params: readonly string[],
): Promise<SubscriptionRecord[]> {
  const sql = `SELECT key, url, selection, status FROM subscriptions ${rest}`;
  type Row = Omit<SubscriptionRecord, "selection"> & { readonly selection: string };
  const rows = await tx.query<Row>(sql, params);
  // The cast: only this package writes it, as JSON of a `Selection`.
  return rows.map((row) => ({ ...row, selection: JSON.parse(row.selection) as Selection }));
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
  const rest = "WHERE merchant_id = $1 AND key = $2 FOR UPDATE";
  return (await selectSubscriptions(tx, rest, [merchantId, key]))[0];
}

/**
 * Lists the merchant's subscriptions that are not closed, the oldest first. Until this transaction ends, `lockSubscription`
 * waits: a call that removes events sees the deliveries written here. Recording attempts does not wait.
 */
export const listOpenSubscriptions = (
  tx: Queryable,
  merchantId: string,
): Promise<SubscriptionRecord[]> =>
  selectSubscriptions(
    tx,
    "WHERE merchant_id = $1 AND status <> 'CLOSED' ORDER BY seq FOR KEY SHARE",
    [merchantId],
  );

/** Updates a subscription's selection and status. */
export async function updateSelection(
  tx: Queryable,
  merchantId: string,
  subscription: Omit<SubscriptionRecord, "url"> & { readonly updatedAt: number },
): Promise<void> {
  const { key, status, updatedAt } = subscription;
  const selection = JSON.stringify(subscription.selection);
  const set = { selection, status, updatedAt };
  await updateRow(tx, "subscriptions", { key: { merchantId, key }, set });
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

/**
 * Decrypts one stored secret of each encryption key in use.
 *
 * @throws {SecretKeysError} `CS_SECRET_KEYS`: a key is missing, or is not the one that encrypted.
 */
export async function checkSecrets(db: Queryable, vault: Vault): Promise<void> {
  const samples = await db.query<SealedSecret & { readonly key: string }>(
    `SELECT key, secret AS text, secret_key_id AS "keyId" FROM subscriptions
      WHERE key IN (SELECT MIN(key) FROM subscriptions GROUP BY secret_key_id)`,
  );
  for (const { key, ...sealed } of samples) {
    try {
      vault.open(sealed, key);
    } catch (cause) {
      const how = vault.has(sealed.keyId) ? "wrong" : "missing";
      const message = `${how} encryption key ${sealed.keyId}: the database has secrets encrypted with it`;
      throw new SecretKeysError(message, { cause });
    }
  }
}

/** Lists the sealed secrets of a merchant's subscriptions of a URL that are not closed, the oldest first. */
export function listSecretsOf(
  db: Queryable,
  { merchantId, url }: { merchantId: string; url: string },
): Promise<(SealedSecret & { readonly key: string })[]> {
  return db.query(
    `SELECT key, secret AS text, secret_key_id AS "keyId" FROM subscriptions
     WHERE merchant_id = $1 AND url = $2 AND status <> 'CLOSED' ORDER BY seq`,
    [merchantId, url],
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
