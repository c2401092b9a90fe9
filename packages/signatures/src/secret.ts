import { isBytes } from "./bytes.ts";
import type { SealedSecret } from "./sealed-secret.ts";

/**
 * A shared secret or a key, as the scheme reads it; how text becomes key bytes is never guessed.
 *
 * For `standardWebhooks` a string carries its kind: `whsec_…` (base64, HMAC), `whpk_…` (a public
 * key, verifies), `whsk_…` (a private key, signs), `raw:…` (the text after the colon is the key).
 * For every other scheme a string is the key as it stands, whatever it begins with.
 * `{ raw }` is the key itself in both: text of printable ASCII without spaces, or bytes.
 *
 * A secret is read when a list first carries it; to change one, give another.
 */
export type PlainSecret = string | { readonly raw: string | Uint8Array };

/** A secret, or one that `sealed` keeps out of logs. */
export type Secret = PlainSecret | SealedSecret;

/** The most bytes that a raw key may have: what is longer is a file pasted by mistake. */
export const MAX_RAW_BYTES = 1024;

/** The fewest bytes of a shared secret unless a scheme is told otherwise (Standard Webhooks). */
export const MIN_SECRET_BYTES = 24;

const PRINTABLE = /^[\x21-\x7e]*$/;

/**
 * The key bytes of a raw secret. Text must be printable ASCII: other text has different bytes in
 * different languages, and an invisible character at either end is a mistake of copying.
 *
 * @throws {TypeError} Not text or bytes, too short, too long, or not printable ASCII.
 */
export function rawKeyBytes(raw: unknown, minBytes: number, at: string): Uint8Array {
  let bytes: Uint8Array;
  if (typeof raw === "string") {
    if (!PRINTABLE.test(raw)) {
      throw new TypeError(
        `${at} holds a character that is not printable ASCII (a space, a line break, a byte order mark?); give other keys as bytes: { raw: Uint8Array }`,
      );
    }
    bytes = Buffer.from(raw, "latin1");
  } else if (isBytes(raw)) {
    bytes = raw;
  } else {
    throw new TypeError(`${at} is neither text nor { raw } with text or bytes`);
  }
  checkSize(bytes.length, { min: minBytes, max: MAX_RAW_BYTES }, at);
  return bytes;
}

/** @throws {TypeError} The key has too few or too many bytes. */
export function checkSize(
  length: number,
  bounds: { readonly min: number; readonly max: number },
  at: string,
): void {
  if (length === 0) throw new TypeError(`${at} is empty`);
  if (length < bounds.min) {
    throw new TypeError(`${at} is too short: a key needs at least ${bounds.min} bytes`);
  }
  if (length > bounds.max) {
    throw new TypeError(`${at} is too long: a key has at most ${bounds.max} bytes`);
  }
}

/** @throws {TypeError} `minSecretBytes` is not an integer from 1 to 64. */
export function checkMinSecretBytes(minSecretBytes: number): void {
  if (!Number.isInteger(minSecretBytes) || minSecretBytes < 1 || minSecretBytes > 64) {
    throw new TypeError('"minSecretBytes" must be an integer from 1 to 64');
  }
}
