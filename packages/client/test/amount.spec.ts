import { MAX_CENTS, parseAmount, readJson } from "@countersign/rules";
import { profiles } from "@countersign/schemas/profiles";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { refundBody } from "../src/calls/refund-body.ts";
import { order } from "./fixtures.ts";

const { standard } = profiles;

function writtenValue(amount: string | bigint): string | undefined {
  const body = refundBody({ ...order, amount }, standard);
  const reading = body.ok ? readJson(body.text, { numbers: "all" }) : undefined;
  return reading?.ok === true ? reading.numbers.get("/amount/value") : undefined;
}

const cents = fc.bigInt({ min: 1n, max: MAX_CENTS });

describe("an amount (T-14)", () => {
  it("in cents is always written with exactly two digits that read to the same cents", () => {
    fc.assert(
      fc.property(cents, (amount) => {
        const value = writtenValue(amount) ?? "";
        expect(value).toMatch(/^(?:0|[1-9]\d*)\.\d{2}$/);
        expect(parseAmount(value)).toEqual({ ok: true, cents: amount });
      }),
    );
  });

  it("as text is always written as its cents are", () => {
    fc.assert(
      fc.property(cents, fc.boolean(), (amount, isShort) => {
        const exact = writtenValue(amount) ?? "";
        const text = isShort ? exact.replace(/\.?0+$/, "") : exact;
        expect(writtenValue(text)).toBe(exact);
      }),
    );
  });

  it.each([
    ["10.505", "CS_AMOUNT_TOO_PRECISE"],
    ["1e2", "CS_AMOUNT_EXPONENT"],
    ["0", "CS_AMOUNT_TOO_SMALL"],
    ["-1.00", "CS_AMOUNT_TOO_SMALL"],
    ["100000000.00", "CS_AMOUNT_TOO_LARGE"],
    ["1,50", "CS_AMOUNT_NOT_A_NUMBER"],
    ["$1", "CS_AMOUNT_NOT_A_NUMBER"],
    [0n, "CS_AMOUNT_TOO_SMALL"],
    [-1n, "CS_AMOUNT_TOO_SMALL"],
    [MAX_CENTS + 1n, "CS_AMOUNT_TOO_LARGE"],
    // What JavaScript lets through and the types do not.
    [10.5 as unknown as string, "CS_AMOUNT_NOT_A_NUMBER"],
    [null as unknown as string, "CS_AMOUNT_NOT_A_NUMBER"],
  ])("of %s is refused before anything is sent", (amount, code) => {
    expect(refundBody({ ...order, amount }, standard)).toEqual({
      ok: false,
      errors: [{ pointer: "/amount", code }],
    });
  });

  it("keeps to the bounds of the profile", () => {
    const amount = { ...standard.amount, minimumCents: 100, maximumCents: 200 };
    const bounded = { ...standard, amount };
    const isTaken = (one: bigint) => refundBody({ ...order, amount: one }, bounded).ok;
    expect([99n, 100n, 200n, 201n].map(isTaken)).toEqual([false, true, true, false]);
  });
});
