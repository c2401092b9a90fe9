import type { Driver } from "../store/driver.ts";
import { listSealedSecrets, secretPlace, updateSecret } from "../store/tables/subscriptions.ts";
import type { Vault } from "./vault.ts";

/** Secrets of one transaction: bounds how long calls that change a subscription wait behind it. */
const BATCH = 100;

/**
 * Seals every secret under the vault's first key, in batches. Services go on meanwhile, if each has
 * both keys. Idempotent: a call that was cut short is made again.
 *
 * @returns How many secrets were sealed anew.
 * @throws {SecretRefusedError} `CS_SECRET_REFUSED`: a secret does not open; its batch is left as it was.
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
