/** The most characters of a header that a scheme reads. */
export const MAX_HEADER_LENGTH = 4096;

/** The most signatures in one attempt. */
export const MAX_SIGNATURES = 8;

/** The most secrets in one call. */
export const MAX_SECRETS = 4;

// No full stop in either: `id.timestamp.body` could be split at another one (Standard Webhooks,
// "Signature scheme"), and a signed body become the id of an attempt that nobody sent.
const ID = /^[A-Za-z0-9_-]{1,256}$/;
const TIMESTAMP = /^(?:0|[1-9]\d{0,11})$/;
const TEN_DIGITS = /^[1-9]\d{9}$/;

export function isId(text: string): boolean {
  return ID.test(text);
}

/** Canonical decimal seconds, so that the text that is signed and the number agree. */
export function isTimestamp(text: string): boolean {
  return TIMESTAMP.test(text);
}

/** For a timestamp that nothing separates from the body: of a fixed width it ends in one place. */
export function isTenDigits(text: string): boolean {
  return TEN_DIGITS.test(text);
}
