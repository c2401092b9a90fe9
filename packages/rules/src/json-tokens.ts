// The tokens of RFC 8259, as positions in a text. Each function takes the position where a token
// starts and returns where it ends (exclusive); a fault at offset N is returned as `~N`, which is
// negative; a bad escape's fault stands at its backslash. Nothing is built.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FOUR_HEX_DIGITS = /^[0-9a-fA-F]{4}$/;

/** The next position that is not insignificant whitespace (RFC 8259 section 2). */
export function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const unit = text.charCodeAt(at);
    // One comparison for most positions.
    if (unit > 0x20) return at;
    if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return at;
    at += 1;
  }
}

/** Ends a string (RFC 8259 section 7) whose opening quote stands at `from`. */
export function endOfString(text: string, from: number): number {
  let at = from + 1;
  for (;;) {
    const unit = text.charCodeAt(at);
    if (unit > BACKSLASH) {
      at += 1;
    } else if (unit === QUOTE) {
      return at + 1;
    } else if (unit === BACKSLASH) {
      const end = endOfEscape(text, at);
      if (end < 0) return end;
      at = end;
    } else if (unit >= 0x20) {
      at += 1;
    } else {
      // A control character, or NaN past the end.
      return ~at;
    }
  }
}

/** Whether a fault of `endOfString` is an escaped surrogate without its other half. */
export function isSurrogateEscape(text: string, at: number): boolean {
  return text.charCodeAt(at) === BACKSLASH && isSurrogate(hexUnit(text, at + 2));
}

/** Ends a number (RFC 8259 section 6). */
export function endOfNumber(text: string, from: number): number {
  let at = from;
  if (text.charCodeAt(at) === 0x2d) at += 1;
  if (text.charCodeAt(at) === 0x30) {
    at += 1;
  } else {
    at = endOfDigits(text, at);
    if (at < 0) return at;
  }
  if (text.charCodeAt(at) === 0x2e) {
    at = endOfDigits(text, at + 1);
    if (at < 0) return at;
  }
  const unit = text.charCodeAt(at);
  if (unit === 0x65 || unit === 0x45) {
    const sign = text.charCodeAt(at + 1);
    at = endOfDigits(text, sign === 0x2b || sign === 0x2d ? at + 2 : at + 1);
  }
  return at;
}

/** Ends `true`, `false` or `null`. */
export function endOfWord(text: string, from: number, word: string): number {
  for (let index = 0; index < word.length; index += 1) {
    if (text.charCodeAt(from + index) !== word.charCodeAt(index)) return ~(from + index);
  }
  return from + word.length;
}

function endOfDigits(text: string, from: number): number {
  let at = from;
  for (;;) {
    const unit = text.charCodeAt(at);
    if (!(unit >= 0x30 && unit <= 0x39)) return at === from ? ~at : at;
    at += 1;
  }
}

function endOfEscape(text: string, from: number): number {
  switch (text.charAt(from + 1)) {
    case '"':
    case "\\":
    case "/":
    case "b":
    case "f":
    case "n":
    case "r":
    case "t":
      return from + 2;
    case "u":
      return endOfUnicodeEscape(text, from);
    default:
      return ~from;
  }
}

function endOfUnicodeEscape(text: string, from: number): number {
  const unit = hexUnit(text, from + 2);
  if (unit < 0) return ~from;
  if (!isSurrogate(unit)) return from + 6;
  const isPair =
    unit < 0xdc00 &&
    text.charCodeAt(from + 6) === BACKSLASH &&
    text[from + 7] === "u" &&
    hexUnit(text, from + 8) >= 0xdc00 &&
    hexUnit(text, from + 8) <= 0xdfff;
  return isPair ? from + 12 : ~from;
}

// The value of four hexadecimal digits, or -1.
function hexUnit(text: string, from: number): number {
  const digits = text.slice(from, from + 4);
  return FOUR_HEX_DIGITS.test(digits) ? Number.parseInt(digits, 16) : -1;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
