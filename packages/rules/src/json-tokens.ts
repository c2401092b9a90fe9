// The tokens of RFC 8259, as positions in UTF-8 bytes. Each function takes the start of a token and returns its end
// (exclusive), or `~N`, which is negative, for a fault at N; a bad escape's fault is at its backslash. Bytes, because
// indexing a string takes twice the time. Beyond the end is a 0, which belongs to no token.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const ESCAPED: ReadonlySet<number | undefined> = new Set(
  Array.from('"\\/bfnrt', (letter) => letter.charCodeAt(0)),
);

/** Returns the next position that is not whitespace (RFC 8259 section 2). */
export function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isSpace(bytes[at] ?? 0)) at += 1;
  return at;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Ends a string (RFC 8259 section 7) whose opening quote is at `from`. */
export function endOfString(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  for (;;) {
    const byte = bytes[at] ?? 0;
    if (byte > BACKSLASH) {
      at += 1;
    } else if (byte === QUOTE) {
      return at + 1;
    } else if (byte === BACKSLASH) {
      const end = endOfEscape(bytes, at);
      if (end < 0) return end;
      at = end;
    } else if (byte >= 0x20) {
      at += 1;
    } else {
      return ~at;
    }
  }
}

/** True if a fault of `endOfString` is an escaped surrogate without its other half. */
export function isSurrogateEscape(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === BACKSLASH && isSurrogate(hexUnit(bytes, at + 2));
}

/** Ends a number (RFC 8259 section 6). */
export function endOfNumber(bytes: Uint8Array, from: number): number {
  let at = from;
  if (bytes[at] === 0x2d) at += 1;
  // No byte follows a fault, which is negative.
  at = bytes[at] === 0x30 ? at + 1 : endOfDigits(bytes, at);
  if (bytes[at] === 0x2e) at = endOfDigits(bytes, at + 1);
  if (bytes[at] === 0x65 || bytes[at] === 0x45) {
    const sign = bytes[at + 1];
    at = endOfDigits(bytes, sign === 0x2b || sign === 0x2d ? at + 2 : at + 1);
  }
  return at;
}

/** Ends `true`, `false` or `null`. */
export function endOfWord(bytes: Uint8Array, from: number, word: string): number {
  for (let index = 0; index < word.length; index += 1) {
    if (bytes[from + index] !== word.charCodeAt(index)) return ~(from + index);
  }
  return from + word.length;
}

function endOfDigits(bytes: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x30 || byte > 0x39) return at === from ? ~at : at;
    at += 1;
  }
}

function endOfEscape(bytes: Uint8Array, from: number): number {
  if (ESCAPED.has(bytes[from + 1])) return from + 2;
  if (bytes[from + 1] !== LETTER_U) return ~from;
  const unit = hexUnit(bytes, from + 2);
  if (unit < 0) return ~from;
  if (!isSurrogate(unit)) return from + 6;
  const isPair =
    unit < 0xdc00 &&
    bytes[from + 6] === BACKSLASH &&
    bytes[from + 7] === LETTER_U &&
    hexUnit(bytes, from + 8) >= 0xdc00 &&
    hexUnit(bytes, from + 8) <= 0xdfff;
  return isPair ? from + 12 : ~from;
}

/** Returns the value of four hexadecimal digits, or -1. */
function hexUnit(bytes: Uint8Array, from: number): number {
  let unit = 0;
  for (let at = from; at < from + 4; at += 1) {
    const digit = hexDigit(bytes[at] ?? 0);
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

function hexDigit(byte: number): number {
  // Negative for a byte before the digits.
  if (byte <= 0x39) return byte - 0x30;
  const upper = byte & ~0x20;
  return upper >= 0x41 && upper <= 0x46 ? upper - 0x37 : -1;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

const SAFE_DIGITS = 15;
const SMALLEST_NORMAL = 2.2250738585072014e-308;

// Numbers of at most this many digits without an exponent fit a double's range.
const MODERATE_LENGTH = 300;

const ZERO = 0x30;
const NINE = 0x39;

/**
 * True if a JSON number's source text may be more precise than the double that `JSON.parse` makes of it: more than 15
 * significant digits, a value that overflows to infinity, or one below the normal doubles.
 */
export function isInexact(
  bytes: Uint8Array,
  { from, end }: { readonly from: number; readonly end: number },
): boolean {
  let significant = 0;
  let zeros = 0;
  let at = from;
  for (; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    // Above the digits there is only the letter of an exponent.
    if (byte > NINE) break;
    if (byte > ZERO) {
      significant += significant === 0 ? 1 : zeros + 1;
      zeros = 0;
    } else if (byte === ZERO) {
      zeros += 1;
    }
  }
  if (significant > SAFE_DIGITS) return true;
  if (significant === 0 || (at === end && end - from < MODERATE_LENGTH)) return false;
  const size = Math.abs(Number(decodeUtf8(bytes.subarray(from, end))));
  return size === Infinity || size < SMALLEST_NORMAL;
}

// A decoder that does not stream keeps nothing between calls.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** @throws {TypeError} The bytes are not well-formed UTF-8. A byte order mark is kept. */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

const lossy = new TextDecoder("utf-8", { ignoreBOM: true });

/** Returns the offset of the first byte that is not well-formed UTF-8 (RFC 3629 section 4), or the length. */
export function firstBadByte(bytes: Uint8Array): number {
  let at = 0;
  for (const character of lossy.decode(bytes)) {
    const isGenuine = bytes[at] === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd;
    if (character === "\ufffd" && !isGenuine) return at;
    at += encodeUtf8(character).length;
  }
  return at;
}
