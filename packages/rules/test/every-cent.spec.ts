import { randomInt } from "node:crypto";
import { formatAmount, parseAmount } from "@countersign/rules";
import { describe, expect, it } from "vitest";

/** Every cent to here, then a seeded walk: `money.slow.ts` has each one to 99,999.99. */
const EACH = 99_999;
const LAST = 9_999_999;
const seed = randomInt(1, 101);

function amounts(): number[] {
  const cents = Array.from({ length: EACH }, (_, at) => at + 1);
  for (let one = EACH + seed; one <= LAST; one += 101) cents.push(one);
  return cents;
}

/** The amounts that a way of writing them does not give back. */
function lost(write: (cents: number) => string): string[] {
  return amounts()
    .map((cents) => ({ cents, text: write(cents) }))
    .filter(({ cents, text }) => {
      const parsed = parseAmount(text);
      return !parsed.ok || parsed.cents !== BigInt(cents);
    })
    .map(({ text }) => text);
}

describe(`amounts from 0.01 to 99,999.99 (seed ${String(seed)})`, () => {
  it("[P-REFUND-AMOUNT] are read as they are written, with two digits", () => {
    expect(lost((cents) => formatAmount(BigInt(cents)))).toEqual([]);
  });

  it("[P-REFUND-AMOUNT] are read as JSON.stringify writes a number: 19.9 and 19 are 1990 and 1900 cents", () => {
    expect(lost((cents) => String(Number(`${String(cents)}e-2`)))).toEqual([]);
  });
});
