import { describe, expect, it } from "vitest";
import { formatAmount, parseAmount } from "../src/money.ts";

const LAST = 9_999_999;

describe("every amount from 0.01 to 99,999.99", () => {
  it("is printed and read back to the same cents", () => {
    const wrong: number[] = [];
    for (let cents = 1; cents <= LAST; cents += 1) {
      const verdict = parseAmount(formatAmount(BigInt(cents)));
      if (!verdict.ok || verdict.cents !== BigInt(cents)) wrong.push(cents);
    }
    expect(wrong).toEqual([]);
  });

  it("is read as JSON.stringify writes its number: 19.9 and 19 are 1990 and 1900 cents", () => {
    const wrong: number[] = [];
    // Those whose text differs from the one above: the shortest text of the nearest double.
    for (let cents = 10; cents <= LAST; cents += 10) {
      const verdict = parseAmount(String(Number(`${String(cents)}e-2`)));
      if (!verdict.ok || verdict.cents !== BigInt(cents)) wrong.push(cents);
    }
    expect(wrong).toEqual([]);
  });
});
