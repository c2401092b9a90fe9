import type { KeyObject } from "node:crypto";
import { importPrivateKey, importPublicKey } from "./ed25519.ts";
import { decodeCanonical } from "./encoding.ts";
import { importHmacKey } from "./hmac.ts";
import type { SecretUse } from "./scheme.ts";
import { checkSize, type PlainSecret, rawKeyBytes } from "./secret.ts";

/** An imported key, bound to the one version of signature that it may make or verify. */
export interface StandardKey {
  readonly version: "v1" | "v1a";
  readonly key: KeyObject;
}

/** The most bytes of a `whsec_` secret (Standard Webhooks, "Signature scheme"). */
const MAX_SECRET_BYTES = 64;

/**
 * Reads a secret of Standard Webhooks: `whsec_` for HMAC, `whpk_` and `whsk_` for ed25519, and
 * text or bytes for HMAC under `raw:` or `{ raw }`.
 *
 * @throws {TypeError} Another prefix, not canonical base64, a wrong length, or a key that is not
 *   for this use. The message never holds the secret.
 */
export function importStandardSecret(
  secret: PlainSecret,
  use: SecretUse,
  at: string,
  minSecretBytes: number,
): StandardKey {
  if (typeof secret !== "string") {
    return hmacKey(rawKeyBytes(secret?.raw, minSecretBytes, at));
  }
  if (secret === "") throw new TypeError(`${at} is empty`);
  if (secret.startsWith("raw:")) {
    return hmacKey(rawKeyBytes(secret.slice("raw:".length), minSecretBytes, at));
  }
  if (secret.startsWith("whsec_")) {
    const bytes = decodeAfter("whsec_", secret, at);
    checkSize(bytes.length, { min: minSecretBytes, max: MAX_SECRET_BYTES }, at);
    return hmacKey(bytes);
  }
  if (secret.startsWith("whpk_")) {
    if (use === "sign") throw new TypeError(`${at} is a public key (whpk_): it cannot sign`);
    return { version: "v1a", key: importPublicKey(decodeAfter("whpk_", secret, at), at) };
  }
  if (secret.startsWith("whsk_")) {
    if (use === "verify") {
      throw new TypeError(
        `${at} is a private key (whsk_): a receiver holds the public key (whpk_) alone`,
      );
    }
    return { version: "v1a", key: importPrivateKey(decodeAfter("whsk_", secret, at), at) };
  }
  throw new TypeError(
    `${at} has no known prefix (whsec_, whpk_, whsk_); text that is the key itself is written raw:… or { raw }`,
  );
}

function hmacKey(bytes: Uint8Array): StandardKey {
  return { version: "v1", key: importHmacKey(bytes) };
}

function decodeAfter(prefix: string, secret: string, at: string): Uint8Array {
  const bytes = decodeCanonical(secret.slice(prefix.length), "base64");
  if (bytes === undefined) {
    throw new TypeError(`${at} is not canonical base64 after ${prefix}`);
  }
  return bytes;
}
