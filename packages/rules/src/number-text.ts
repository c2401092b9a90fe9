import { decodeUtf8 } from "./utf8.ts";

const SAFE_DIGITS = 15;
const SMALLEST_NORMAL = 2.2250738585072014e-308;

// So many digits without an exponent are neither too large nor too small for a double.
const MODERATE_LENGTH = 300;

const ZERO = 0x30;
const NINE = 0x39;
const LETTER_E = 0x65;

/**
 * Whether the source text of a JSON number, `from` to `end` (exclusive), may carry more than the double
 * that `JSON.parse` makes of it: more than 15 significant digits (zeros at either end are none), a
 * value that overflows to infinity, or one below the normal doubles, where digits are lost.
 */
export function isInexact(
  bytes: Uint8Array,
  { from, end }: { readonly from: number; readonly end: number },
): boolean {
  let significant = 0;
  let zeros = 0;
  let hasExponent = false;
  for (let at = from; at < end && !hasExponent; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === ZERO) {
      zeros += 1;
    } else if (byte > ZERO && byte <= NINE) {
      significant += significant === 0 ? 1 : zeros + 1;
      zeros = 0;
    }
    hasExponent = (byte | 0x20) === LETTER_E;
  }
  if (significant > SAFE_DIGITS) return true;
  if (significant === 0 || (!hasExponent && end - from < MODERATE_LENGTH)) return false;
  const size = Math.abs(Number(decodeUtf8(bytes.subarray(from, end))));
  return size === Infinity || size < SMALLEST_NORMAL;
}
