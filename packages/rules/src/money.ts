/** The largest amount, 99,999,999.99, in cents: the ten digits of a bank's amount field. */
export const MAX_CENTS = 9_999_999_999n;

/**
 * The reason for which a text is not an amount, checked in this order:
 * - `CS_AMOUNT_NOT_A_NUMBER`: not the text of a JSON number (RFC 8259 section 6).
 * - `CS_AMOUNT_EXPONENT`: an exponent.
 * - `CS_AMOUNT_TOO_PRECISE`: more than two digits after the separator.
 * - `CS_AMOUNT_TOO_SMALL`: zero or negative.
 * - `CS_AMOUNT_TOO_LARGE`: more than `MAX_CENTS`.
 */
export type AmountErrorCode =
  | "CS_AMOUNT_NOT_A_NUMBER"
  | "CS_AMOUNT_EXPONENT"
  | "CS_AMOUNT_TOO_PRECISE"
  | "CS_AMOUNT_TOO_SMALL"
  | "CS_AMOUNT_TOO_LARGE";

export type AmountVerdict =
  | { readonly ok: true; readonly cents: bigint }
  | { readonly ok: false; readonly code: AmountErrorCode };

const JSON_NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const MAX_WHOLE_DIGITS = 8;

/**
 * Parses the source text of a JSON number as an amount of money (S 2.1). The accepted texts are exactly
 * `^(0|[1-9]\d*)(\.\d{1,2})?$` with a value from 0.01 to 99,999,999.99. The text is judged, because the double of
 * `0.1000000000000000055` is `0.1` and would pass. Time is linear in the text's length.
 *
 * @returns The amount in cents, from 1 to `MAX_CENTS`, or the first fault's code.
 * @throws {TypeError} `text` is not a string: a parsed number has lost its source text.
 */
export function parseAmount(text: string): AmountVerdict {
  if (typeof text !== "string") throw new TypeError('"text" must be the source text of a number');
  const match = JSON_NUMBER.exec(text);
  if (match === null) return { ok: false, code: "CS_AMOUNT_NOT_A_NUMBER" };
  const [, sign, whole = "", fraction = "", power] = match;
  if (power !== undefined) return { ok: false, code: "CS_AMOUNT_EXPONENT" };
  if (fraction.length > 2) return { ok: false, code: "CS_AMOUNT_TOO_PRECISE" };
  const isZero = /^0*$/.test(whole + fraction);
  if (isZero || sign === "-") return { ok: false, code: "CS_AMOUNT_TOO_SMALL" };
  // The grammar allows no leading zeros.
  if (whole.length > MAX_WHOLE_DIGITS) return { ok: false, code: "CS_AMOUNT_TOO_LARGE" };
  return { ok: true, cents: BigInt(whole + fraction.padEnd(2, "0")) };
}

/**
 * Prints cents with exactly two digits after the separator and no exponent: `1050n` is `10.50`.
 * Any bigint prints; a negative one carries a minus sign.
 */
export function formatAmount(cents: bigint): string {
  const sign = cents < 0n ? "-" : "";
  const digits = String(cents).slice(sign.length).padStart(3, "0");
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
