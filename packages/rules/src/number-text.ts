const SMALLEST_NORMAL = 2.2250738585072014e-308;
const SAFE_DIGITS = 15;
const DIGITS = /^-?([0-9.]+)/;

/**
 * Whether the bytes of a JSON number are so few, and without an exponent, that they hold at most 15
 * digits of moderate size: no look at the text is needed then. Most numbers are so.
 */
export function isSurelyExact(
  bytes: Uint8Array,
  { from, end }: { readonly from: number; readonly end: number },
): boolean {
  if (end - from > SAFE_DIGITS) return false;
  for (let at = from; at < end; at += 1) {
    if (bytes[at] === 0x65 || bytes[at] === 0x45) return false;
  }
  return true;
}

/**
 * Whether a JSON number's source text may carry more than the double that `JSON.parse` makes of it:
 * more than 15 significant digits (zeros at either end are none), a value that overflows to infinity,
 * or one below the normal doubles, where digits are lost.
 */
export function isInexact(text: string): boolean {
  const digits = (DIGITS.exec(text)?.[1] ?? "").replace(".", "");
  let first = 0;
  while (digits[first] === "0") first += 1;
  if (first === digits.length) return false;
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  if (end - first > SAFE_DIGITS) return true;
  const size = Math.abs(Number(text));
  return size === Infinity || size < SMALLEST_NORMAL;
}
