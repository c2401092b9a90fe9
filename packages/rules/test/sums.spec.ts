import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitCents, sumCents } from "../src/sums.ts";

const amount = fc.bigInt({ min: 0n, max: 9_999_999_999n });

describe("sumCents", () => {
  it("is 0 for no amounts", () => {
    expect(sumCents([])).toBe(0n);
  });

  it("is the same for the amounts and for any split of them", () => {
    fc.assert(
      fc.property(fc.array(amount), fc.integer({ min: 1, max: 50 }), (amounts, parts) => {
        const split = amounts.flatMap((cents) => splitCents(cents, parts));
        expect(sumCents(split)).toBe(sumCents(amounts));
        expect(sumCents(new Set(amounts))).toBeLessThanOrEqual(sumCents(amounts));
      }),
    );
  });

  it("of two amounts is their sum", () => {
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        expect(sumCents([a, b])).toBe(a + b);
      }),
    );
  });
});

describe("splitCents", () => {
  it.each([
    [1000n, 3, [334n, 333n, 333n]],
    [2n, 4, [1n, 1n, 0n, 0n]],
    [0n, 2, [0n, 0n]],
    [5n, 1, [5n]],
  ])("splits %s into %i parts, larger ones first", (cents, parts, split) => {
    expect(splitCents(cents, parts)).toEqual(split);
  });

  it("makes parts that differ by one cent at most, in falling order", () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 1, max: 200 }), (cents, parts) => {
        const split = splitCents(cents, parts);
        expect(split).toHaveLength(parts);
        expect((split.at(0) ?? 0n) - (split.at(-1) ?? 0n)).toBeLessThanOrEqual(1n);
        expect(split).toEqual(split.toSorted((a, b) => Number(b - a)));
      }),
    );
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 53])("refuses %d parts", (parts) => {
    expect(() => splitCents(1n, parts)).toThrow(
      new TypeError('"parts" must be a whole number, 1 or more'),
    );
  });

  it("refuses less than nothing", () => {
    expect(() => splitCents(-1n, 1)).toThrow(new TypeError('"cents" must not be negative'));
  });
});
