import { MAX_CENTS, parseAmount, readJson } from "@countersign/rules";
import { profiles } from "@countersign/schemas/profiles";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { refundBody } from "../src/refund.ts";
import { order } from "./fixtures.ts";

const { standard } = profiles;

function writtenValue(amount: string | bigint): string {
  const body = refundBody({ ...order, amount }, standard);
  const reading = body.ok ? readJson(body.text, { numbers: "all" }) : undefined;
  return (reading?.ok === true && reading.numbers.get("/amount/value")) || "";
}

describe("the amount of a refund (T-14)", () => {
  it("is sent with two digits that read back to its cents, given as cents or as text", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: MAX_CENTS }), (amount) => {
        const value = writtenValue(amount);
        expect(value).toMatch(/^(?:0|[1-9]\d*)\.\d{2}$/);
        expect(parseAmount(value)).toEqual({ ok: true, cents: amount });
        expect(writtenValue(value)).toBe(value);
        expect(writtenValue(value.replace(/\.?0+$/, ""))).toBe(value);
      }),
    );
  });

  it("is rejected before anything is sent if it is malformed or out of bounds", () => {
    for (const [amount, code] of [
      ["10.505", "TOO_PRECISE"],
      ["0", "TOO_SMALL"],
      ["100000000.00", "TOO_LARGE"],
      ["$1", "NOT_A_NUMBER"],
      [0n, "TOO_SMALL"],
      [MAX_CENTS + 1n, "TOO_LARGE"],
      [10.5, "NOT_A_NUMBER"],
      [null, "NOT_A_NUMBER"],
    ] as const) {
      // Values that JavaScript allows and the types do not.
      const body = refundBody({ ...order, amount: amount as string }, standard);
      const errors = [{ pointer: "/amount", code: `CS_AMOUNT_${code}` }];
      expect([amount, body]).toEqual([amount, { ok: false, errors }]);
    }
    const amount = { ...standard.amount, minimumCents: 100, maximumCents: 200 };
    const bounded = { ...standard, amount };
    const isTaken = (one: bigint) => refundBody({ ...order, amount: one }, bounded).ok;
    expect([99n, 100n, 200n, 201n].map(isTaken)).toEqual([false, true, true, false]);
  });
});
