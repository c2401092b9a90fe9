import { isBytes } from "../secret.ts";

export { isBytes, type PlainSecret, sealed, SealedSecret, type Secret } from "../secret.ts";

/** Fewest bytes of a shared secret unless a scheme's options say otherwise (Standard Webhooks). */
export const MIN_SECRET_BYTES = 24;

/** Most bytes of a raw key: anything longer is a file pasted by mistake. */
const MAX_RAW_BYTES = 1024;

/** Names of characters that are pasted by mistake. */
const UNWANTED: Readonly<Record<string, string>> = {
  " ": "a space",
  "\t": "a tab",
  "\n": "a line break",
  "\r": "a carriage return",
  "\u00a0": "a non-breaking space",
  "\ufeff": "a byte order mark",
};

/**
 * Reads a secret's text: without one final newline, and without anything that was not meant to be part of it.
 *
 * @throws {TypeError} Quotes, whitespace or a character beyond printable ASCII. The message never contains the secret.
 */
export function readSecretText(given: string, at: string): string {
  const text = given.replace(/\r?\n$/, "");
  const unwanted = /[^\x21-\x7e]/.exec(text);
  if (unwanted !== null) {
    const name = UNWANTED[unwanted[0]] ?? "a character that is not printable ASCII";
    throw new TypeError(
      `${at} contains ${name} (character ${unwanted.index + 1}): remove it, or give the key as bytes: { raw: Uint8Array }`,
    );
  }
  // Quotes after the prefix, as in raw:"…", are the same mistake.
  const quote = /^(?:raw:)?["'`]|["'`]$/.exec(text)?.[0];
  if (quote !== undefined) {
    throw new TypeError(
      `${at} is in quotes (${quote.slice(-1)}): remove them; only a shell or a .env file needs quotes`,
    );
  }
  return text;
}

/**
 * Returns the key bytes of `{ raw }` or of a text that is the key itself.
 *
 * @throws {TypeError} Not text or bytes, too short, too long, or text that `readSecretText` rejects.
 */
export function rawKeyBytes(raw: unknown, minBytes: number, at: string): Uint8Array {
  if (raw === undefined || raw === null) {
    throw new TypeError(`${at} is missing: is its environment variable set?`);
  }
  if (typeof raw !== "string" && !isBytes(raw)) {
    throw new TypeError(`invalid ${at}: expected text, or { raw } with text or bytes`);
  }
  const bytes = typeof raw === "string" ? Buffer.from(readSecretText(raw, at), "latin1") : raw;
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
    throw new TypeError('invalid "minSecretBytes": expected an integer from 1 to 64');
  }
}
