import { describe, expect, it } from "vitest";
import { formatAmount, MAX_CENTS, MIN_CENTS, parseAmount } from "../src/money.ts";

describe("an amount's source text (T-14, T-15)", () => {
  it.each([
    ["10", 1000n],
    ["10.5", 1050n],
    ["10.50", 1050n],
    ["0.01", MIN_CENTS],
    ["0.1", 10n],
    ["99999999.99", MAX_CENTS],
  ])("reads %s as cents", (text, cents) => {
    expect(parseAmount(text)).toEqual({ ok: true, cents });
  });

  it.each([
    ["0", "CS_AMOUNT_TOO_SMALL"],
    ["0.00", "CS_AMOUNT_TOO_SMALL"],
    ["-0", "CS_AMOUNT_TOO_SMALL"],
    ["-1", "CS_AMOUNT_TOO_SMALL"],
    ["-10.50", "CS_AMOUNT_TOO_SMALL"],
    ["100000000", "CS_AMOUNT_TOO_LARGE"],
    ["100000000.00", "CS_AMOUNT_TOO_LARGE"],
    ["90071992547409.93", "CS_AMOUNT_TOO_LARGE"],
    ["1.100", "CS_AMOUNT_TOO_PRECISE"],
    ["1.005", "CS_AMOUNT_TOO_PRECISE"],
    ["0.000", "CS_AMOUNT_TOO_PRECISE"],
    ["0.1000000000000000055", "CS_AMOUNT_TOO_PRECISE"],
    ["1e2", "CS_AMOUNT_EXPONENT"],
    ["1E+2", "CS_AMOUNT_EXPONENT"],
    ["1e-400", "CS_AMOUNT_EXPONENT"],
    ['"10.00"', "CS_AMOUNT_NOT_A_NUMBER"],
    ["null", "CS_AMOUNT_NOT_A_NUMBER"],
    ["true", "CS_AMOUNT_NOT_A_NUMBER"],
    ["", "CS_AMOUNT_NOT_A_NUMBER"],
    ["01.00", "CS_AMOUNT_NOT_A_NUMBER"],
    [".5", "CS_AMOUNT_NOT_A_NUMBER"],
    ["5.", "CS_AMOUNT_NOT_A_NUMBER"],
    ["+1", "CS_AMOUNT_NOT_A_NUMBER"],
    ["NaN", "CS_AMOUNT_NOT_A_NUMBER"],
    ["1 ", "CS_AMOUNT_NOT_A_NUMBER"],
    [" 1", "CS_AMOUNT_NOT_A_NUMBER"],
    ["1\n", "CS_AMOUNT_NOT_A_NUMBER"],
    ["1,00", "CS_AMOUNT_NOT_A_NUMBER"],
    ["١", "CS_AMOUNT_NOT_A_NUMBER"],
  ])("refuses %s with %s", (text, code) => {
    expect(parseAmount(text)).toEqual({ ok: false, code });
  });

  it("is never a parsed number, whose text is lost", () => {
    // @ts-expect-error a double is not a source text
    expect(() => parseAmount(10.5)).toThrow(TypeError);
  });
});

describe("printed cents", () => {
  it.each([
    [1n, "0.01"],
    [10n, "0.10"],
    [1050n, "10.50"],
    [0n, "0.00"],
    [-5n, "-0.05"],
    [MAX_CENTS, "99999999.99"],
  ])("of %s always have two digits after the separator", (cents, text) => {
    expect(formatAmount(cents)).toBe(text);
  });
});
