/**
 * A shared secret or a key. How its text becomes key bytes is said by the provider's document (`signature.key`).
 *
 * As Standard Webhooks writes it: `whsec_…` is base64 for HMAC, `whpk_…` an ed25519 public key (verifies), `whsk_…` an
 * ed25519 private key (signs), `raw:…` the text after the colon; any other text is the key as it is. `{ raw }` is the
 * key itself, as text or bytes, for every provider.
 *
 * One final newline of a text is removed, because files and variables often end with one. Quotes around it, whitespace
 * at its ends and control characters are errors. Bytes are never changed.
 */
export type Secret = string | { readonly raw: string | Uint8Array };

/** True for a `Uint8Array` (a `Buffer` is one), also from another realm, as in Jest. */
export function isBytes(value: unknown): value is Uint8Array {
  return (
    value instanceof Uint8Array || Object.prototype.toString.call(value) === "[object Uint8Array]"
  );
}

/** Most bytes of a raw key: anything longer is a file pasted by mistake. */
const MAX_RAW_BYTES = 1024;
/** Fewest bytes of a key that nobody can search for. */
const SAFE_BYTES = 16;

/** Names of characters that are pasted by mistake. */
const UNWANTED: Readonly<Record<string, string>> = {
  " ": "a space",
  "\t": "a tab",
  "\n": "a line break",
  "\r": "a carriage return",
  "\u00a0": "a non-breaking space",
  "\ufeff": "a byte order mark",
};

/** A variable's name in the syntax of shells, of templates and of programs. */
const PLACEHOLDER = /^\$[A-Za-z_]\w*$|\$\{[^}]*\}|\{\{.*\}\}|^process\.env\b/;

/**
 * Reads a secret's text: without one final newline, and without anything that was not meant to be part of it.
 *
 * @param unwanted The characters that its form does not have.
 * @throws {TypeError} A placeholder, quotes around it, or an unwanted character. The message never contains
 *   the secret.
 */
export function readSecretText(given: string, at: string, unwanted: RegExp): string {
  const text = given.replace(/\r?\n$/, "");
  const found = unwanted.exec(text) ?? /^\s|\s$/.exec(text);
  if (found !== null) {
    const name = UNWANTED[found[0]] ?? "a character that its form does not have";
    throw new TypeError(
      `${at} contains ${name} (character ${found.index + 1}): remove it, or give the key as bytes: { raw: Uint8Array }`,
    );
  }
  // Quotes after the prefix, as in raw:"…", are the same mistake.
  const quote = /^(?:raw:)?["'`]|["'`]$/.exec(text)?.[0];
  if (quote !== undefined) {
    throw new TypeError(
      `${at} is in quotes (${quote.slice(-1)}): remove them; only a shell or a .env file needs quotes`,
    );
  }
  if (PLACEHOLDER.test(text)) {
    throw new TypeError(
      `${at} is a placeholder, not a secret: the name of a variable was not replaced by its value`,
    );
  }
  return text;
}

/**
 * Checks the bytes of a shared key, and returns a warning about a short one.
 *
 * @throws {TypeError} It has too few or too many bytes, or one byte again and again.
 */
export function checkKeyBytes(bytes: Uint8Array, at: string, min: number): string | undefined {
  const { length } = bytes;
  if (length === 0) throw new TypeError(`${at} is empty`);
  if (length < min) throw new TypeError(`${at} is too short: a key needs at least ${min} bytes`);
  if (length > MAX_RAW_BYTES)
    throw new TypeError(`${at} is too long: a key has at most ${MAX_RAW_BYTES} bytes`);
  if (bytes.every((byte) => byte === bytes[0]))
    throw new TypeError(`${at} is one byte again and again: replace it by a random secret`);
  return length < SAFE_BYTES
    ? `${at} has only ${length} bytes: whoever has seen one attempt can search for it; replace it by one of at least 24`
    : undefined;
}

/** @throws {TypeError} The body is text or parsed JSON. */
export function checkBody(body: Uint8Array): void {
  if (!isBytes(body)) {
    throw new TypeError(
      'invalid "body": expected the raw bytes (Uint8Array), not text or parsed JSON',
    );
  }
}
