import { createSecretKey, type KeyObject } from "node:crypto";
import { SecretKeysError } from "./secret-errors.ts";

/** Keys of secrets at rest, by id; the first seals, all open. At least one. */
export type SecretKeys = ReadonlyMap<string, KeyObject>;

/** Of AES-256. */
const KEY_BYTES = 32;

/**
 * Reads keys of secrets at rest, one a line: `ID:KEY`, the id of 1 to 32 characters of
 * `[A-Za-z0-9_-]`, the key 32 random bytes as base64. The first seals, all open.
 *
 * @throws {SecretKeysError} `CS_SECRET_KEYS`: there is none, an id comes twice, or a line is not of
 *   this form. The message has the line's number and nothing of its text.
 */
export function parseSecretKeys(text: string): SecretKeys {
  const keys = new Map<string, KeyObject>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const [, id, encoded] = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/.exec(line.trim()) ?? [];
    if (id === undefined || encoded === undefined) {
      throw new SecretKeysError(
        `line ${index + 1} of the encryption keys is not ID:KEY with a key of ${KEY_BYTES} bytes as base64`,
      );
    }
    if (keys.has(id)) throw new SecretKeysError(`the encryption key ${id} comes twice`);
    keys.set(id, createSecretKey(Buffer.from(encoded, "base64")));
  }
  if (keys.size === 0) throw new SecretKeysError("there is no encryption key");
  return keys;
}
