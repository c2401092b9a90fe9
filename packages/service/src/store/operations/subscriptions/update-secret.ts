import type { SealedSecret } from "../../../secrets/vault.ts";
import type { Queryable } from "../../driver.ts";

/** Writes a subscription's secret, sealed. */
export async function updateSecret(
  tx: Queryable,
  { key, sealed }: { key: string; sealed: SealedSecret },
): Promise<void> {
  await tx.query("UPDATE subscriptions SET secret = $2, secret_key_id = $3 WHERE key = $1", [
    key,
    sealed.text,
    sealed.keyId,
  ]);
}
