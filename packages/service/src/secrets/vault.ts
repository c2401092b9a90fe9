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
  override readonly name = "SecretKeysError";
}

/** A secret that cannot be decrypted: another key, another row, or changed text. */
export class SecretRefusedError extends Error {
  readonly code = "CS_SECRET_REFUSED";
  override readonly name = "SecretRefusedError";
}

/** Encryption keys by id, at least one. The first encrypts, all decrypt. */
type SecretKeys = ReadonlyMap<string, KeyObject>;

/**
 * Parses encryption keys, one a line: `ID:KEY`, with an id of 1 to 32 characters of `[A-Za-z0-9_-]` and a
 * key of 32 random bytes as base64.
 *
 * @throws {SecretKeysError} `CS_SECRET_KEYS`: no key, a duplicate id, or an invalid line.
 */
export function parseSecretKeys(text: string): SecretKeys {
  const keys = new Map<string, KeyObject>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const [, id, encoded] = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/.exec(line.trim()) ?? [];
    if (id === undefined || encoded === undefined) {
      const form = "expected ID:KEY with a key of 32 bytes as base64";
      throw new SecretKeysError(`invalid encryption keys, line ${index + 1}: ${form}`);
    }
    if (keys.has(id)) throw new SecretKeysError(`duplicate encryption key ${id}`);
    keys.set(id, createSecretKey(Buffer.from(encoded, "base64")));
  }
  if (keys.size === 0) throw new SecretKeysError("missing encryption key");
  return keys;
}

/** A stored, encrypted secret. */
export interface SealedSecret {
  readonly keyId: string;
  /** Nonce, ciphertext and tag, as base64url. */
  readonly text: string;
}

/** Encrypts the secrets of subscriptions for the store, each for its key only, and decrypts them for signing. */
export interface Vault {
  /** True if it has the key with this id. */
  has(keyId: string): boolean;
  seal(secret: string, subscriptionKey: string): SealedSecret;
  /** @throws {SecretRefusedError} `CS_SECRET_REFUSED` */
  open(sealed: SealedSecret, subscriptionKey: string): string;
}

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
// Decryption needs it as well: by default Node accepts tags of 4 bytes, which can be guessed.
const authTagLength = 16;

/**
 * Creates a vault: AES-256-GCM, a random nonce of 12 bytes for each secret, a tag of 16. Row and key id are authenticated.
 * A source of nonces that repeats itself reveals the secrets.
 */
export function createVault(keys: SecretKeys, random: Random = systemRandom): Vault {
  const [first] = keys;
  if (first === undefined) throw new SecretKeysError("missing encryption key");
  const [keyId, key] = first;
  return {
    has: (id) => keys.has(id),
    seal: (secret, row) => {
      const nonce = random.bytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength });
      cipher.setAAD(associatedData(row, keyId));
      const sealed = [nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()];
      return { keyId, text: Buffer.concat(sealed).toString("base64url") };
    },
    open: (sealed, row) => {
      const opening = keys.get(sealed.keyId);
      if (opening === undefined)
        throw new SecretRefusedError("missing encryption key of the secret");
      try {
        return open(sealed, opening, row);
      } catch (cause) {
        throw new SecretRefusedError("the secret cannot be decrypted for this row", { cause });
      }
    },
  };
}

function open({ keyId, text }: SealedSecret, key: KeyObject, row: string): string {
  const bytes = Buffer.from(text, "base64url");
  const tagAt = bytes.length - authTagLength;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength });
  decipher.setAAD(associatedData(row, keyId));
  decipher.setAuthTag(bytes.subarray(tagAt));
  const secret = decipher.update(bytes.subarray(NONCE_BYTES, tagAt));
  // `final` throws if the tag is wrong, before any of the text is used.
  return Buffer.concat([secret, decipher.final()]).toString("utf8");
}

/** JSON, so that different rows never give the same bytes. */
const associatedData = (row: string, keyId: string): Buffer =>
  Buffer.from(JSON.stringify(["subscriptions", row, keyId]), "utf8");

/** SHA-256, hexadecimal. For secrets of 128 random bits and more, which no dictionary has: a slow hash would add nothing. */
export function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
