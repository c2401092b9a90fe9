import { type HeadersLike, type HeadersObject, type Refused, refused } from "./scheme.ts";

/** Most characters of a header that a scheme reads. */
const MAX_HEADER_LENGTH = 4096;
const MAX_ID_LENGTH = 256;
/** Seconds until the year 33658; a timestamp in milliseconds has 13 digits and is refused. */
const MAX_TIMESTAMP_DIGITS = 12;
const ZERO = 48;

// No full stop: `id.timestamp.body` could then be split elsewhere, and part of a signed body become the id of an
// attempt that nobody sent (Standard Webhooks, "Signature scheme").
const ID_CHARACTERS = new Uint8Array(128);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") {
  ID_CHARACTERS[character.charCodeAt(0)] = 1;
}

/** True if `text` is 1 to 256 characters of `[A-Za-z0-9_-]`. */
export function isId(text: string): boolean {
  if (text.length === 0 || text.length > MAX_ID_LENGTH) return false;
  for (let index = 0; index < text.length; index++) {
    if (ID_CHARACTERS[text.charCodeAt(index)] !== 1) return false;
  }
  return true;
}

/**
 * Parses a number of seconds: `0`, or up to 12 digits that begin with another one. One number has one spelling, so
 * the text that is signed and the number that is compared agree.
 */
export function parseTimestamp(text: string): number | undefined {
  if (text.length === 0 || text.length > MAX_TIMESTAMP_DIGITS) return undefined;
  if (text.length > 1 && text.charCodeAt(0) === ZERO) return undefined;
  let seconds = 0;
  for (let index = 0; index < text.length; index++) {
    const digit = text.charCodeAt(index) - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    seconds = seconds * 10 + digit;
  }
  return seconds;
}

/** Reads a scheme's headers: their values in the scheme's order, or a refusal. */
export type ReadHeaders = (headers: HeadersLike) => readonly string[] | Refused;

/**
 * Creates a reader of the named headers in any case. Each must appear once, as text of at most 4,096 characters.
 * The reader throws a `TypeError` if `headers` is not an object.
 */
export function headerReader(headerNames: readonly string[]): ReadHeaders {
  const names = headerNames.map((name) => name.toLowerCase());
  const places = new Map(names.map((name, place) => [name, place]));
  // Few headers have a name as long as one of the scheme's: one bit per length skips most of the others.
  const lengths = names.reduce((bits, { length }) => bits | (1 << (length & 31)), 0);

  // Copied rather than grown: an array that grows out of order is slow to read.
  const nothing: readonly unknown[] = names.map(() => undefined);

  /** Returns the values, or the name that appears in two spellings. */
  function pick(headers: Readonly<Record<string, unknown>>): unknown[] | string {
    const found = nothing.slice();
    for (const key of Object.keys(headers)) {
      if (((lengths >>> (key.length & 31)) & 1) === 0) continue;
      const place = places.get(key) ?? places.get(key.toLowerCase());
      if (place === undefined) continue;
      const value = headers[key];
      if (value === undefined) continue;
      if (found[place] !== undefined) return key.toLowerCase();
      found[place] = value;
    }
    return found;
  }

  return (headers) => {
    if (typeof headers !== "object" || headers === null) {
      throw new TypeError('invalid "headers": expected a Headers, or a record of names and values');
    }
    const found = isHeadersObject(headers)
      ? names.map((name) => headers.get(name) ?? undefined)
      : pick(headers);
    if (typeof found === "string") {
      return refused("CS_SIGNATURE_HEADER_DUPLICATE", { header: found });
    }
    for (const [place, header] of names.entries()) {
      const value = found[place];
      if (value === undefined) return refused("CS_SIGNATURE_HEADER_MISSING", { header });
      if (Array.isArray(value)) return refused("CS_SIGNATURE_HEADER_DUPLICATE", { header });
      if (typeof value !== "string") return refused("CS_SIGNATURE_HEADER_INVALID", { header });
      if (value.length > MAX_HEADER_LENGTH) {
        return refused("CS_SIGNATURE_HEADER_TOO_LONG", { header });
      }
    }
    // Each is text, as just checked.
    return found as readonly string[];
  };
}

function isHeadersObject(headers: HeadersLike): headers is HeadersObject {
  // A stranger's header values are text: none of them can be a function.
  return typeof headers.get === "function";
}
