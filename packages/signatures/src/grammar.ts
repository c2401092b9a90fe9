/** The most characters of a header that a scheme reads. */
export const MAX_HEADER_LENGTH = 4096;

/** The most signatures in one attempt. */
export const MAX_SIGNATURES = 8;

/** The most secrets in one call. */
export const MAX_SECRETS = 4;

// No full stop: `id.timestamp.body` could be split at another one (Standard Webhooks, "Signature
// scheme"), and a part of a signed body become the id of an attempt that nobody sent.
const ID_CHARACTERS = new Uint8Array(128);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") {
  ID_CHARACTERS[character.charCodeAt(0)] = 1;
}

const MAX_ID_LENGTH = 256;

/** The most digits of a timestamp: seconds until the year 33658, and no milliseconds by mistake. */
const MAX_DIGITS = 12;

const ZERO = 48;

/** Whether `text` is 1 to 256 characters of `[A-Za-z0-9_-]`. */
export function isId(text: string): boolean {
  if (text.length === 0 || text.length > MAX_ID_LENGTH) return false;
  for (let index = 0; index < text.length; index++) {
    if (ID_CHARACTERS[text.charCodeAt(index)] !== 1) return false;
  }
  return true;
}

/**
 * The seconds that `text` writes, or `undefined` unless it is `0` or up to 12 digits that begin
 * with another one: the text that is signed and the number that is judged then agree.
 */
export function parseTimestamp(text: string): number | undefined {
  if (text.length === 0 || text.length > MAX_DIGITS) return undefined;
  if (text.length > 1 && text.charCodeAt(0) === ZERO) return undefined;
  let seconds = 0;
  for (let index = 0; index < text.length; index++) {
    const digit = text.charCodeAt(index) - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    seconds = seconds * 10 + digit;
  }
  return seconds;
}

/**
 * As `parseTimestamp`, of ten digits exactly: a timestamp that nothing separates from the body
 * ends in one place alone.
 */
export function parseTenDigits(text: string): number | undefined {
  return text.length === 10 ? parseTimestamp(text) : undefined;
}
