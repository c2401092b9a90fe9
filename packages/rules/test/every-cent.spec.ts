import { formatAmount, parseAmount } from "@countersign/rules";
import { describe, expect, it } from "vitest";

const LAST = 9_999_999;

/** The amounts that a way of writing them does not give back. */
function lost(write: (cents: number) => string, step: number): string[] {
  const wrong: string[] = [];
  for (let cents = step; cents <= LAST; cents += step) {
    const text = write(cents);
    const parsed = parseAmount(text);
    if (!parsed.ok || parsed.cents !== BigInt(cents)) wrong.push(text);
  }
  return wrong;
}

describe("every amount from 0.01 to 99,999.99", () => {
  it("[P-REFUND-AMOUNT] is read as it is written, with two digits", () => {
    expect(lost((cents) => formatAmount(BigInt(cents)), 1)).toEqual([]);
  });

  it("[P-REFUND-AMOUNT] is read as JSON.stringify writes its number: 19.9 and 19 are 1990 and 1900 cents", () => {
    // Those whose text differs from the one above: the shortest text of the nearest double.
    expect(lost((cents) => String(Number(`${String(cents)}e-2`)), 10)).toEqual([]);
  });
});
