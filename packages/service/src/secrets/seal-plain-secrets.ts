import type { Queryable } from "../store/driver.ts";
import { secretPlace, updateSecret } from "../store/tables/subscriptions.ts";
import { SecretKeysError } from "./secret-errors.ts";
import type { Vault } from "./vault.ts";

/**
 * Seals what earlier versions stored in the clear: once, with the migration that makes room for it. A
 * secret in the clear is never taken afterwards, since anybody who can write could leave one there.
 *
 * @throws {SecretKeysError} `CS_SECRET_KEYS`: there is one, and no vault.
 */
export async function sealPlainSecrets(tx: Queryable, vault: Vault | undefined): Promise<void> {
  const rows = await tx.query<{ key: string; secret: string }>(
    "SELECT key, secret FROM subscriptions",
  );
  for (const { key, secret } of rows) {
    if (vault === undefined) throw new SecretKeysError("there are secrets to seal, and no key");
    await updateSecret(tx, { key, sealed: vault.seal(secret, secretPlace(key)) });
  }
}
