import { SecretKeysError, type Vault } from "./vault.ts";
import type { Queryable, Driver } from "../store/driver.ts";
import {
  listSecretSamples,
  secretPlace,
  listSealedSecrets,
  updateSecret,
} from "../store/tables/subscriptions.ts";

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

/** Secrets in one transaction; bounds how long calls that change a subscription wait for it. */
const BATCH = 100;

/**
 * Encrypts every stored secret with the vault's first key, in batches. Services that have both keys keep
 * running. Idempotent: repeat a call that was interrupted.
 *
 * @returns The number of secrets encrypted again.
 * @throws {SecretRefusedError} `CS_SECRET_REFUSED`: a secret cannot be decrypted; its batch is unchanged.
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`
 */
export async function rotateSecrets(driver: Driver, vault: Vault): Promise<number> {
  let rotated = 0;
  for (;;) {
    const batch = await driver.transaction(async (tx) => {
      const rows = await listSealedSecrets(tx, { except: vault.keyId, limit: BATCH });
      for (const { key, secret, keyId } of rows) {
        const place = secretPlace(key);
        const opened = vault.open({ keyId, text: secret }, place);
        await updateSecret(tx, { key, sealed: vault.seal(opened, place) });
      }
      return rows.length;
    });
    if (batch === 0) return rotated;
    rotated += batch;
  }
}
