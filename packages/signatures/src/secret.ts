const REDACTED = "[secret]";

/**
 * A shared secret or a key. How its text becomes key bytes belongs to the scheme.
 *
 * `standardWebhooks`: `whsec_…` is base64 for HMAC, `whpk_…` an ed25519 public key (verifies), `whsk_…` an ed25519
 * private key (signs), `raw:…` the text after the colon; any other text is the key as it is. Every other scheme uses
 * any text as it is, whatever its prefix. `{ raw }` is the key itself, as text or bytes, in every scheme.
 *
 * One final newline of a text is removed, because files and variables often end with one. Quotes at its ends,
 * whitespace and characters beyond printable ASCII are errors. Bytes are never changed.
 */
export type PlainSecret = string | { readonly raw: string | Uint8Array };

/** A secret, or one that `sealed` keeps out of logs. */
export type Secret = PlainSecret | SealedSecret;

/** A secret that does not print; made by `sealed`, accepted wherever a secret is. */
export class SealedSecret {
  static {
    // Shown by `util.inspect`, and so by `console.log`.
    Object.defineProperty(this.prototype, Symbol.for("nodejs.util.inspect.custom"), {
      value: () => REDACTED,
    });
  }

  readonly #secret: PlainSecret;

  constructor(secret: PlainSecret) {
    this.#secret = secret;
  }

  /** Returns the plain secret. For the schemes only: the package does not export this class as a value. */
  static open(secret: Secret): PlainSecret {
    return secret instanceof SealedSecret ? secret.#secret : secret;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }
}

/** Wraps a secret so that a log line, JSON document or error report around it shows `[secret]`. */
export function sealed(secret: PlainSecret): SealedSecret {
  return new SealedSecret(secret);
}

/** True for a `Uint8Array` (a `Buffer` is one), also from another realm, as in Jest. */
export function isBytes(value: unknown): value is Uint8Array {
  return (
    value instanceof Uint8Array || Object.prototype.toString.call(value) === "[object Uint8Array]"
  );
}

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
