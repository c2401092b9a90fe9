const SMALLEST_NORMAL = 2.2250738585072014e-308;
const SAFE_DIGITS = 15;
const NUMBER_PARTS = /^-?([0-9.]*)/;

/**
 * Whether a JSON number's source text may carry more than the double that `JSON.parse` makes of it:
 * more than 15 significant digits (zeros at either end are none), a value that overflows to infinity,
 * or one below the normal doubles, where digits are lost.
 */
export function isInexact(text: string): boolean {
  // So short a text without an exponent holds at most 15 digits of moderate size.
  if (text.length <= SAFE_DIGITS && !/[eE]/.test(text)) return false;
  const digits = (NUMBER_PARTS.exec(text)?.[1] ?? "").replace(".", "");
  let first = 0;
  while (digits[first] === "0") first += 1;
  let last = digits.length - 1;
  while (last >= first && digits[last] === "0") last -= 1;
  if (last < first) return false;
  if (last - first + 1 > SAFE_DIGITS) return true;
  const size = Math.abs(Number(text));
  return size === Infinity || size < SMALLEST_NORMAL;
}
