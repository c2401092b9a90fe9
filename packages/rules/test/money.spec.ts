import { randomInt } from "node:crypto";
import { Big } from "big.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatAmount,
  MAX_CENTS,
  parseAmount,
  type AmountErrorCode,
  type AmountPolicy,
  type AmountVerdict,
} from "../src/money.ts";
import { anyNumberText } from "./number-texts.ts";

const strict: AmountPolicy = { trailingZeros: "reject", exponent: "reject" };
const zeros: AmountPolicy = { trailingZeros: "accept", exponent: "reject" };
const powers: AmountPolicy = { trailingZeros: "reject", exponent: "accept" };
const lax: AmountPolicy = { trailingZeros: "accept", exponent: "accept" };
const many = (digit: string) => digit.repeat(1_000_000);

/** Returns which amount a text is, by its grammar and by big.js. */
function expected(text: string, { trailingZeros, exponent }: AmountPolicy): AmountVerdict {
  const grammar = /^-?(?:0|[1-9]\d*)(?:\.(?<fraction>\d+))?(?:[eE](?<power>[+-]?\d+))?$/.exec(text);
  if (grammar === null) return { ok: false, code: "CS_AMOUNT_NOT_A_NUMBER" };
  const { fraction = "", power } = grammar.groups ?? {};
  if (power !== undefined && exponent !== "accept")
    return { ok: false, code: "CS_AMOUNT_EXPONENT" };
  const value = new Big(text).times(100);
  const isWhole = value.eq(value.round(0, 0));
  const isLong = fraction.length - Number(power ?? 0) > 2;
  if (isLong && (trailingZeros !== "accept" || !isWhole))
    return { ok: false, code: "CS_AMOUNT_TOO_PRECISE" };
  if (value.lt(1) || text.startsWith("-")) return { ok: false, code: "CS_AMOUNT_TOO_SMALL" };
  if (value.gt(9_999_999_999)) return { ok: false, code: "CS_AMOUNT_TOO_LARGE" };
  return { ok: true, cents: BigInt(value.toFixed(0)) };
}

describe("parseAmount (T-14, T-15)", () => {
  it.each<[string, AmountPolicy, bigint | AmountErrorCode]>([
    ["10.5", strict, 1050n],
    ["0.01", strict, 1n],
    ["99999999.99", strict, MAX_CENTS],
    ["-0", strict, "CS_AMOUNT_TOO_SMALL"],
    ["100000000", strict, "CS_AMOUNT_TOO_LARGE"],
    ["90071992547409.93", strict, "CS_AMOUNT_TOO_LARGE"],
    ["0.1000000000000000055", strict, "CS_AMOUNT_TOO_PRECISE"],
    ['"10.00"', strict, "CS_AMOUNT_NOT_A_NUMBER"],
    ["1\n", strict, "CS_AMOUNT_NOT_A_NUMBER"],
    ["1,00", strict, "CS_AMOUNT_NOT_A_NUMBER"],
    ["١", strict, "CS_AMOUNT_NOT_A_NUMBER"],
    ["99999999.9900", zeros, MAX_CENTS],
    ["9.999999999e7", powers, MAX_CENTS],
    ["1e-2", powers, 1n],
    ["1e00000000000000000000", powers, 100n],
    [`1e${"9".repeat(400)}`, powers, "CS_AMOUNT_TOO_LARGE"],
    [`1e-${"9".repeat(400)}`, powers, "CS_AMOUNT_TOO_PRECISE"],
    [`0e${"9".repeat(400)}`, powers, "CS_AMOUNT_TOO_SMALL"],
    [`0e-${"9".repeat(400)}`, lax, "CS_AMOUNT_TOO_SMALL"],
  ])("reads %j under the policy %j as %s", (text, policy, result) => {
    expect(parseAmount(text, policy)).toEqual(
      typeof result === "bigint" ? { ok: true, cents: result } : { ok: false, code: result },
    );
  });

  it("agrees with big.js under every policy, code by code, and is strict by default", () => {
    fc.assert(
      fc.property(anyNumberText, fc.constantFrom(strict, zeros, powers, lax), (text, policy) => {
        expect(parseAmount(text, policy)).toEqual(expected(text, policy));
        expect(parseAmount(text)).toEqual(expected(text, strict));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ["digits", many("9"), "CS_AMOUNT_TOO_LARGE"],
    ["zeros after the separator", `1.${many("0")}1`, "CS_AMOUNT_TOO_PRECISE"],
    ["zeros within a fraction", `0.1${many("0")}1x`, "CS_AMOUNT_NOT_A_NUMBER"],
    ["digits of an exponent", `1e${many("1")}`, "CS_AMOUNT_TOO_LARGE"],
  ])("reads a million %s in linear time", (_, text, code) => {
    expect(parseAmount(text, lax)).toEqual({ ok: false, code });
  });

  it("throws a TypeError for a parsed number, whose text is lost", () => {
    // @ts-expect-error a double is not a source text
    expect(() => parseAmount(10.5)).toThrow(
      new TypeError('"text" must be the source text of a number'),
    );
  });
});

describe("formatAmount", () => {
  it("prints what big.js prints with two digits, which parseAmount reads back", () => {
    expect(formatAmount(0n)).toBe("0.00");
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt({ min: 1n, max: MAX_CENTS }), (any, cents) => {
        expect(formatAmount(any)).toBe(new Big(String(any)).div(100).toFixed(2));
        expect(parseAmount(formatAmount(cents))).toEqual({ ok: true, cents });
      }),
    );
  });
});

it("[P-REFUND-AMOUNT] amounts to 99,999.99 are read as formatAmount and as JSON.stringify write them: 19.9 is 1990 cents", () => {
  // Every cent to 999.99, then each 101st from a random one on.
  const cents = Array.from({ length: 99_999 }, (_, at) => at + 1);
  for (let one = 99_999 + randomInt(1, 101); one <= 9_999_999; one += 101) cents.push(one);
  const lost = cents
    .flatMap((one) => [
      [one, formatAmount(BigInt(one))] as const,
      [one, String(Number(`${String(one)}e-2`))] as const,
    ])
    .filter(([one, text]) => {
      const parsed = parseAmount(text);
      return !parsed.ok || parsed.cents !== BigInt(one);
    });
  expect(lost).toEqual([]);
});
