import { randomInt } from "node:crypto";
import { Big } from "big.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatAmount,
  MAX_CENTS,
  parseAmount,
  type AmountErrorCode,
  type AmountVerdict,
} from "../src/money.ts";
import { anyNumberText } from "./number-texts.ts";

const many = (digit: string) => digit.repeat(1_000_000);

/** Returns which amount a text is, by its grammar and by big.js. */
function expected(text: string): AmountVerdict {
  const grammar = /^-?(?:0|[1-9]\d*)(?:\.(?<fraction>\d+))?(?:[eE](?<power>[+-]?\d+))?$/.exec(text);
  if (grammar === null) return { ok: false, code: "CS_AMOUNT_NOT_A_NUMBER" };
  const { fraction = "", power } = grammar.groups ?? {};
  if (power !== undefined) return { ok: false, code: "CS_AMOUNT_EXPONENT" };
  if (fraction.length > 2) return { ok: false, code: "CS_AMOUNT_TOO_PRECISE" };
  const value = new Big(text).times(100);
  if (value.lt(1) || text.startsWith("-")) return { ok: false, code: "CS_AMOUNT_TOO_SMALL" };
  if (value.gt(9_999_999_999)) return { ok: false, code: "CS_AMOUNT_TOO_LARGE" };
  return { ok: true, cents: BigInt(value.toFixed(0)) };
}

describe("parseAmount (T-14, T-15)", () => {
  it.each<[string, bigint | AmountErrorCode]>([
    ["10.5", 1050n],
    ["0.01", 1n],
    ["99999999.99", MAX_CENTS],
    ["-0", "CS_AMOUNT_TOO_SMALL"],
    ["100000000", "CS_AMOUNT_TOO_LARGE"],
    ["90071992547409.93", "CS_AMOUNT_TOO_LARGE"],
    ["0.1000000000000000055", "CS_AMOUNT_TOO_PRECISE"],
    ['"10.00"', "CS_AMOUNT_NOT_A_NUMBER"],
    ["1\n", "CS_AMOUNT_NOT_A_NUMBER"],
    ["1,00", "CS_AMOUNT_NOT_A_NUMBER"],
    ["١", "CS_AMOUNT_NOT_A_NUMBER"],
    ["99999999.9900", "CS_AMOUNT_TOO_PRECISE"],
    ["1e2", "CS_AMOUNT_EXPONENT"],
    [`0e-${"9".repeat(400)}`, "CS_AMOUNT_EXPONENT"],
  ])("reads %j as %s", (text, result) => {
    expect(parseAmount(text)).toEqual(
      typeof result === "bigint" ? { ok: true, cents: result } : { ok: false, code: result },
    );
  });

  it("agrees with big.js, code by code", () => {
    fc.assert(
      fc.property(anyNumberText, (text) => {
        expect(parseAmount(text)).toEqual(expected(text));
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ["digits", many("9"), "CS_AMOUNT_TOO_LARGE"],
    ["zeros after the separator", `1.${many("0")}1`, "CS_AMOUNT_TOO_PRECISE"],
    ["zeros within a fraction", `0.1${many("0")}1x`, "CS_AMOUNT_NOT_A_NUMBER"],
    ["digits of an exponent", `1e${many("1")}`, "CS_AMOUNT_EXPONENT"],
  ])("reads a million %s in linear time", (_, text, code) => {
    expect(parseAmount(text)).toEqual({ ok: false, code });
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
