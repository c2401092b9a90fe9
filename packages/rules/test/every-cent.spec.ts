import { formatAmount, parseAmount } from "@countersign/rules";
import { describe, expect, it } from "vitest";

const LAST = 9_999_999;

/** The amounts of cents that a way of writing them does not give back. */
function lost(write: (cents: number) => string): string[] {
  const wrong: string[] = [];
  for (let cents = 1; cents <= LAST; cents += 1) {
    const text = write(cents);
    const parsed = parseAmount(text);
    if (!parsed.ok || parsed.cents !== BigInt(cents)) wrong.push(text);
  }
  return wrong;
}

describe("every amount from 0.01 to 99,999.99", () => {
  it("[P-REFUND-AMOUNT] is read as it is written, with two digits", () => {
    expect(lost((cents) => formatAmount(BigInt(cents)))).toEqual([]);
  });

  it("[P-REFUND-AMOUNT] is read as JSON.stringify writes its number, without trailing zeros", () => {
    // The shortest text of the nearest double: 19.9 for 1990 cents, 19 for 1900.
    expect(lost((cents) => String(Number(`${String(cents)}e-2`)))).toEqual([]);
  });
});
