const SMALLEST_NORMAL = 2.2250738585072014e-308;
const SAFE_DIGITS = 15;
const DIGITS = /^-?([0-9.]+)/;

/**
 * Whether a JSON number's source text may carry more than the double that `JSON.parse` makes of it:
 * more than 15 significant digits (zeros at either end are none), a value that overflows to infinity,
 * or one below the normal doubles, where digits are lost.
 */
export function isInexact(text: string): boolean {
  // So short a text without an exponent holds at most 15 digits of moderate size; most numbers do.
  if (text.length <= SAFE_DIGITS && !hasExponent(text)) return false;
  const digits = (DIGITS.exec(text)?.[1] ?? "").replace(".", "");
  let first = 0;
  while (digits[first] === "0") first += 1;
  let end = digits.length;
  while (end > first && digits[end - 1] === "0") end -= 1;
  if (end === first) return false;
  if (end - first > SAFE_DIGITS) return true;
  const size = Math.abs(Number(text));
  return size === Infinity || size < SMALLEST_NORMAL;
}

function hasExponent(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x65 || unit === 0x45) return true;
  }
  return false;
}
