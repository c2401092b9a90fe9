import type { Queryable } from "../store/driver.ts";
import { listSecretSamples, secretPlace } from "../store/tables/subscriptions.ts";
import { SecretKeysError } from "./secret-errors.ts";
import type { Vault } from "./vault.ts";

/**
 * Opens one secret of each key that the database's secrets are sealed under.
 *
 * @throws {SecretKeysError} `CS_SECRET_KEYS`: a key is missing, or is another one than its id says.
 */
export async function checkSecrets(db: Queryable, vault: Vault): Promise<void> {
  for (const { key, secret, keyId } of await listSecretSamples(db)) {
    if (!vault.has(keyId)) {
      throw new SecretKeysError(`the database holds secrets of the encryption key ${keyId}`);
    }
    try {
      vault.open({ keyId, text: secret }, secretPlace(key));
    } catch (cause) {
      const message = `the encryption key ${keyId} is not the one that the database's secrets are sealed under`;
      throw new SecretKeysError(message, { cause });
    }
  }
}
