import { createCipheriv, createDecipheriv, type KeyObject } from "node:crypto";
import { systemRandom, type Random } from "../random.ts";
import { SecretKeysError, SecretRefusedError } from "./secret-errors.ts";
import type { SecretKeys } from "./secret-keys.ts";

/** Where a secret stands. It opens nowhere else, so that rows cannot be swapped. */
export interface SecretPlace {
  readonly table: string;
  /** The row's primary key. */
  readonly row: string;
}

/** A secret as it is stored. */
export interface SealedSecret {
  readonly keyId: string;
  /** Nonce, ciphertext and tag, as base64url. */
  readonly text: string;
}

/** Seals secrets for the store, and opens them for whoever signs with them. */
export interface Vault {
  /** Id of the key that seals. */
  readonly keyId: string;
  /** Whether it has the key of this id. */
  has(keyId: string): boolean;
  seal(secret: string, place: SecretPlace): SealedSecret;
  /**
   * @throws {SecretRefusedError} `CS_SECRET_REFUSED`: the key is not here, or is another one; the
   *   secret was changed, or was sealed for another place.
   */
  open(sealed: SealedSecret, place: SecretPlace): string;
}

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
// Said also when opening: without it Node takes tags of 4 bytes, which can be guessed.
const authTagLength = 16;

/**
 * A vault over keys: AES-256-GCM, a random nonce of 12 bytes for each secret, a tag of 16; the table,
 * the row and the key's id are authenticated with it.
 *
 * @param random Where nonces come from; a source that repeats itself gives the secrets away.
 * @throws {SecretKeysError} `CS_SECRET_KEYS`: there is no key.
 */
export function createVault(keys: SecretKeys, random: Random = systemRandom): Vault {
  const [first] = keys;
  if (first === undefined) throw new SecretKeysError("there is no encryption key");
  const [keyId, key] = first;
  return {
    keyId,
    has: (id) => keys.has(id),
    seal: (secret, place) => ({ keyId, text: seal(secret, key, { keyId, place, random }) }),
    open: (sealed, place) => {
      const opening = keys.get(sealed.keyId);
      if (opening === undefined) throw new SecretRefusedError("the secret's key is not here");
      try {
        return open(sealed, opening, place);
      } catch (cause) {
        throw new SecretRefusedError("the secret does not open in its place", { cause });
      }
    },
  };
}

function seal(
  secret: string,
  key: KeyObject,
  { keyId, place, random }: { keyId: string; place: SecretPlace; random: Random },
): string {
  const nonce = random.bytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength });
  cipher.setAAD(associatedData(place, keyId));
  const sealed = [nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(sealed).toString("base64url");
}

function open({ keyId, text }: SealedSecret, key: KeyObject, place: SecretPlace): string {
  const bytes = Buffer.from(text, "base64url");
  const tagAt = bytes.length - authTagLength;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength });
  decipher.setAAD(associatedData(place, keyId));
  decipher.setAuthTag(bytes.subarray(tagAt));
  const secret = decipher.update(bytes.subarray(NONCE_BYTES, tagAt));
  // Nothing of it is looked at before the tag is found to be right.
  return Buffer.concat([secret, decipher.final()]).toString("utf8");
}

/** As JSON: no two places make the same bytes. */
function associatedData({ table, row }: SecretPlace, keyId: string): Buffer {
  return Buffer.from(JSON.stringify([table, row, keyId]), "utf8");
}
