import type { Queryable, SealedSecret } from "@countersign/service";

/** A subscription with its sealed secret. */
export interface KeyedSubscription extends SealedSecret {
  readonly key: string;
  readonly url: string;
}

/** The subscriptions of these keys, by key. */
export async function keyedSubscriptions(
  db: Queryable,
  keys: readonly string[],
): Promise<ReadonlyMap<string, KeyedSubscription>> {
  const wanted = [...new Set(keys)];
  if (wanted.length === 0) return new Map();
  const places = wanted.map((_, index) => `$${String(index + 1)}`).join(", ");
  const rows = await db.query<KeyedSubscription>(
    `SELECT key, url, secret AS text, secret_key_id AS "keyId" FROM subscriptions WHERE key IN (${places})`,
    wanted,
  );
  return new Map(rows.map((row) => [row.key, row]));
}
