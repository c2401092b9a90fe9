import {
  type KeyObject,
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
} from "node:crypto";
import { type Random, systemRandom } from "../random.ts";

/** Encryption keys that are malformed or not those of the database. The message contains no key. */
export class SecretKeysError extends Error {
  readonly code = "CS_SECRET_KEYS";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A secret that cannot be decrypted: another key, another row, or changed text. */
export class SecretRefusedError extends Error {
  readonly code = "CS_SECRET_REFUSED";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** Encryption keys by id, at least one. The first encrypts, all decrypt. */
export type SecretKeys = ReadonlyMap<string, KeyObject>;

/** The key size of AES-256. */
const KEY_BYTES = 32;

/**
 * Parses encryption keys, one a line: `ID:KEY`, with an id of 1 to 32 characters of `[A-Za-z0-9_-]` and a
 * key of 32 random bytes as base64. The first encrypts, all decrypt.
 *
 * @throws {SecretKeysError} `CS_SECRET_KEYS`: no key, a duplicate id, or an invalid line. The message has
 *   the line's number and nothing of its text.
 */
export function parseSecretKeys(text: string): SecretKeys {
  const keys = new Map<string, KeyObject>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const [, id, encoded] = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/.exec(line.trim()) ?? [];
    if (id === undefined || encoded === undefined) {
      throw new SecretKeysError(
        `invalid encryption keys, line ${index + 1}: expected ID:KEY with a key of ${KEY_BYTES} bytes as base64`,
      );
    }
    if (keys.has(id)) throw new SecretKeysError(`duplicate encryption key ${id}`);
    keys.set(id, createSecretKey(Buffer.from(encoded, "base64")));
  }
  if (keys.size === 0) throw new SecretKeysError("missing encryption key");
  return keys;
}

/** The row of a secret. It cannot be decrypted for another row, so that rows cannot be swapped. */
export interface SecretPlace {
  readonly table: string;
  /** The row's primary key. */
  readonly row: string;
}

/** A stored, encrypted secret. */
export interface SealedSecret {
  readonly keyId: string;
  /** Nonce, ciphertext and tag, as base64url. */
  readonly text: string;
}

/** Encrypts secrets for the store, and decrypts them for signing. */
export interface Vault {
  /** Id of the key that encrypts. */
  readonly keyId: string;
  /** True if it has the key with this id. */
  has(keyId: string): boolean;
  seal(secret: string, place: SecretPlace): SealedSecret;
  /**
   * @throws {SecretRefusedError} `CS_SECRET_REFUSED`: the key is missing or wrong, or the secret was changed
   *   or encrypted for another row.
   */
  open(sealed: SealedSecret, place: SecretPlace): string;
}

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
// Decryption needs it as well: by default Node accepts tags of 4 bytes, which can be guessed.
const authTagLength = 16;

/**
 * Creates a vault: AES-256-GCM, a random nonce of 12 bytes for each secret, a tag of 16. Table, row and key
 * id are authenticated.
 *
 * @param random Source of nonces; one that repeats itself reveals the secrets.
 * @throws {SecretKeysError} `CS_SECRET_KEYS`: `keys` is empty.
 */
export function createVault(keys: SecretKeys, random: Random = systemRandom): Vault {
  const [first] = keys;
  if (first === undefined) throw new SecretKeysError("missing encryption key");
  const [keyId, key] = first;
  return {
    keyId,
    has: (id) => keys.has(id),
    seal: (secret, place) => ({ keyId, text: seal(secret, key, { keyId, place, random }) }),
    open: (sealed, place) => {
      const opening = keys.get(sealed.keyId);
      if (opening === undefined)
        throw new SecretRefusedError("missing encryption key of the secret");
      try {
        return open(sealed, opening, place);
      } catch (cause) {
        throw new SecretRefusedError("the secret cannot be decrypted for this row", { cause });
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
  // `final` throws if the tag is wrong, before any of the text is used.
  return Buffer.concat([secret, decipher.final()]).toString("utf8");
}

/** JSON, so that different rows never give the same bytes. */
function associatedData({ table, row }: SecretPlace, keyId: string): Buffer {
  return Buffer.from(JSON.stringify([table, row, keyId]), "utf8");
}

/**
 * SHA-256 of a text's UTF-8, hexadecimal. For secrets of 128 random bits and more, which no dictionary
 * holds: a slow hash would add nothing.
 */
export function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
