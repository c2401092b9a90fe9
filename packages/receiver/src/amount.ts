import { parseAmount } from "@countersign/rules";

/**
 * An event's amount as exact cents, 1 to 9,999,999,999.
 *
 * The receiver lets through only numbers whose text says no more than the parsed number, so the
 * number's own shortest text is the amount; no arithmetic touches it.
 *
 * @throws {RangeError} the value is no amount of cents, which no event that a receiver handled has.
 */
export function amountCents(amount: { readonly value: number }): bigint {
  const parsed = parseAmount(String(amount.value));
  if (!parsed.ok) throw new RangeError(`not an amount of cents: ${parsed.code}`);
  return parsed.cents;
}
