import type { Queryable } from "../../driver.ts";
import type { StoredSecret } from "./list-sealed-secrets.ts";

/** One secret of each key that secrets are sealed under. */
export function listSecretSamples(db: Queryable): Promise<StoredSecret[]> {
  return db.query<StoredSecret>(
    `SELECT key, secret, secret_key_id AS "keyId" FROM subscriptions
      WHERE key IN (SELECT MIN(key) FROM subscriptions GROUP BY secret_key_id)`,
  );
}
