import { MAX_CENTS, parseAmount, readJson } from "@countersign/rules";
import { profiles } from "@countersign/schemas/profiles";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { refundCall } from "../src/refund.ts";
import { order } from "./fixtures.ts";

function writtenValue(amount: string | bigint): string | undefined {
  const { body = "" } = refundCall({ ...order, amount }, profiles.standard);
  const reading = readJson(body, { numbers: "all" });
  return reading.ok ? reading.numbers.get("/amount/value") : undefined;
}

describe("the amount of a refund (T-14)", () => {
  it("is sent with two digits that read back to its cents, given as cents or as text", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: MAX_CENTS }), (amount) => {
        const value = writtenValue(amount) ?? "";
        expect(value).toMatch(/^(?:0|[1-9]\d*)\.\d{2}$/);
        expect(parseAmount(value)).toEqual({ ok: true, cents: amount });
        expect(writtenValue(value)).toBe(value);
        expect(writtenValue(value.replace(/\.?0+$/, ""))).toBe(value);
      }),
    );
  });

  it.each([
    ["10.505", "TOO_PRECISE"],
    ["0", "TOO_SMALL"],
    ["100000000.00", "TOO_LARGE"],
    ["$1", "NOT_A_NUMBER"],
    [0n, "TOO_SMALL"],
    [-1n, "TOO_SMALL"],
    [MAX_CENTS + 1n, "TOO_LARGE"],
    [10.5, "NOT_A_NUMBER"],
    [null, "NOT_A_NUMBER"],
  ] as const)("%s is rejected before anything is sent", (amount, code) => {
    // Values that JavaScript allows and the types do not.
    const make = () => refundCall({ ...order, amount: amount as string }, profiles.standard);
    expect(make).toThrow(`refund: CS_REQUEST_INVALID /amount CS_AMOUNT_${code}: `);
  });
});
