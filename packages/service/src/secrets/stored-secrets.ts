import { SecretKeysError, type Vault } from "./vault.ts";
import type { Queryable } from "../store/driver.ts";
import { listSecretSamples, secretPlace } from "../store/tables/subscriptions.ts";

/**
 * Decrypts one stored secret of each encryption key in use.
 *
 * @throws {SecretKeysError} `CS_SECRET_KEYS`: a key is missing, or is not the one that encrypted.
 */
export async function checkSecrets(db: Queryable, vault: Vault): Promise<void> {
  for (const { key, secret, keyId } of await listSecretSamples(db)) {
    if (!vault.has(keyId)) {
      throw new SecretKeysError(
        `missing encryption key ${keyId}: the database has secrets encrypted with it`,
      );
    }
    try {
      vault.open({ keyId, text: secret }, secretPlace(key));
    } catch (cause) {
      const message = `wrong encryption key ${keyId}: it does not decrypt the database's secrets`;
      throw new SecretKeysError(message, { cause });
    }
  }
}
