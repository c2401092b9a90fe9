import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";

/** The hash functions under HMAC (RFC 2104). SHA-1 is not among them. */
export type HmacAlgorithm = "sha256" | "sha384" | "sha512";

/** The bytes of a digest. */
export const DIGEST_BYTES: Readonly<Record<HmacAlgorithm, number>> = {
  sha256: 32,
  sha384: 48,
  sha512: 64,
};

/** Text around the body, so that a large body is hashed where it lies. */
export interface SignedText {
  readonly before: string;
  readonly body: Uint8Array;
  readonly after: string;
}

/** Imports the key once: with plain bytes every digest would import it again. */
export function importHmacKey(bytes: Uint8Array): KeyObject {
  return createSecretKey(bytes);
}

/** The HMAC of the text. */
export function hmac(algorithm: HmacAlgorithm, key: KeyObject, text: SignedText): Uint8Array {
  const state = createHmac(algorithm, key).update(text.before, "latin1").update(text.body);
  if (text.after !== "") state.update(text.after, "latin1");
  return bytesOf(state.digest("binary"));
}

/**
 * Whether one of the candidates is the digest. Each is compared, in constant time, whichever
 * matches; all have the digest's length, which the grammar has checked.
 */
export function isAmong(digest: Uint8Array, candidates: readonly Uint8Array[]): boolean {
  let matches = 0;
  for (const candidate of candidates) {
    matches |= timingSafeEqual(digest, candidate) ? 1 : 0;
  }
  return matches > 0;
}

/** One byte for each character: Node gives a digest as text sooner than as bytes. */
function bytesOf(binary: string): Uint8Array {
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}
