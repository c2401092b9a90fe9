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
    expect(() => parseAmount(10.5)).toThrow(
      new TypeError('"text" must be the source text of a number'),
    );
  });
});

describe("an amount's policy", () => {
  it.each([
    ["1.100", 110n],
    ["1.000000000000000000000", 100n],
    ["0.010", 1n],
    ["99999999.9900", MAX_CENTS],
  ])("with trailing zeros accepted reads %s", (text, cents) => {
    expect(parseAmount(text, { trailingZeros: "accept" })).toEqual({ ok: true, cents });
  });

  it.each([
    ["1.101", "CS_AMOUNT_TOO_PRECISE"],
    ["0.001", "CS_AMOUNT_TOO_PRECISE"],
    ["0.000", "CS_AMOUNT_TOO_SMALL"],
    ["1e2", "CS_AMOUNT_EXPONENT"],
  ])("with trailing zeros accepted refuses %s with %s", (text, code) => {
    expect(parseAmount(text, { trailingZeros: "accept" })).toEqual({ ok: false, code });
  });

  it.each([
    ["1e2", 10_000n],
    ["1E+2", 10_000n],
    ["1050e-2", 1050n],
    ["1.05e1", 1050n],
    ["1.0500e2", 10_500n],
    ["9.999999999e7", MAX_CENTS],
    ["0.000001e6", 100n],
    ["1e-2", MIN_CENTS],
    ["10e-2", 10n],
    ["1e00000000000000000000", 100n],
  ])("with exponents accepted reads %s", (text, cents) => {
    expect(parseAmount(text, { exponent: "accept" })).toEqual({ ok: true, cents });
  });

  it.each([
    ["1e-3", "CS_AMOUNT_TOO_PRECISE"],
    ["10e-3", "CS_AMOUNT_TOO_PRECISE"],
    ["1.0000e1", "CS_AMOUNT_TOO_PRECISE"],
    ["0e-3", "CS_AMOUNT_TOO_PRECISE"],
    ["0e5", "CS_AMOUNT_TOO_SMALL"],
    ["-1e2", "CS_AMOUNT_TOO_SMALL"],
    ["1e8", "CS_AMOUNT_TOO_LARGE"],
    ["1e+", "CS_AMOUNT_NOT_A_NUMBER"],
    [`1e${"9".repeat(400)}`, "CS_AMOUNT_TOO_LARGE"],
    [`1e-${"9".repeat(400)}`, "CS_AMOUNT_TOO_PRECISE"],
    [`0e${"9".repeat(400)}`, "CS_AMOUNT_TOO_SMALL"],
  ])("with exponents accepted refuses %s with %s", (text, code) => {
    expect(parseAmount(text, { exponent: "accept" })).toEqual({ ok: false, code });
  });

  it("with both accepted reads 10e-3, a cent", () => {
    expect(parseAmount("10e-3", { exponent: "accept", trailingZeros: "accept" })).toEqual({
      ok: true,
      cents: 1n,
    });
  });

  it("with both accepted has no cents in an infinitely small zero", () => {
    const text = `0e-${"9".repeat(400)}`;
    expect(parseAmount(text, { exponent: "accept", trailingZeros: "accept" })).toEqual({
      ok: false,
      code: "CS_AMOUNT_TOO_SMALL",
    });
  });
});

describe("an amount text of a million characters", () => {
  it.each([
    ["digits", "9".repeat(1_000_000), "CS_AMOUNT_TOO_LARGE"],
    ["zeros after the separator", `1.${"0".repeat(1_000_000)}1`, "CS_AMOUNT_TOO_PRECISE"],
    ["zeros within a fraction", `0.1${"0".repeat(1_000_000)}1x`, "CS_AMOUNT_NOT_A_NUMBER"],
    ["digits of an exponent", `1e${"1".repeat(1_000_000)}`, "CS_AMOUNT_TOO_LARGE"],
  ])("of %s is judged in linear time", (_, text, code) => {
    const policy = { exponent: "accept", trailingZeros: "accept" } as const;
    expect(parseAmount(text, policy)).toEqual({ ok: false, code });
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
