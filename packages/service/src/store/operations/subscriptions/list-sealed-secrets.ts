import type { Queryable } from "../../driver.ts";

export interface StoredSecret {
  /** The subscription's key. */
  readonly key: string;
  /** Sealed under `keyId`; in the clear where that is `null`, as earlier versions wrote it. */
  readonly secret: string;
  readonly keyId: string | null;
}

/** Secrets that are not sealed under `keyId`, of whatever merchant, locked until this transaction ends. */
export function listSealedSecrets(
  tx: Queryable,
  { except, limit }: { except: string; limit: number },
): Promise<StoredSecret[]> {
  return tx.query<StoredSecret>(
    `SELECT key, secret, secret_key_id AS "keyId" FROM subscriptions
      WHERE secret_key_id IS NULL OR secret_key_id <> $1 ORDER BY key LIMIT $2 FOR UPDATE`,
    [except, limit],
  );
}
