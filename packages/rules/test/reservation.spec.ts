import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { onFailed, onReturned } from "../src/refund.ts";
import { heldCents, reservationChange, reserve } from "../src/refund.ts";
import { refunds } from "./refunds.ts";

const cents = fc.bigInt({ min: 1n, max: 9_999_999_999n });

describe("reserve (T-16)", () => {
  it.each([
    [0n, 1n, { ok: true, reservedCents: 1n }],
    [0n, 1000n, { ok: true, reservedCents: 1000n }],
    [400n, 600n, { ok: true, reservedCents: 1000n }],
    [400n, 601n, { ok: false, code: "REFUND_AMOUNT_EXCEEDS_REMAINING" }],
    [1000n, 1n, { ok: false, code: "PAYMENT_ALREADY_REFUNDED" }],
  ])("with %s of 1000 reserved and %s asked for", (reservedCents, askedCents, reservation) => {
    expect(reserve({ amountCents: 1000n, reservedCents, askedCents })).toEqual(reservation);
  });

  it("never reserves more than the payment, and refuses only what would", () => {
    fc.assert(
      fc.property(cents, fc.array(cents), (amountCents, asks) => {
        let reservedCents = 0n;
        for (const askedCents of asks.map((ask) => (ask % (amountCents * 2n)) + 1n)) {
          const reservation = reserve({ amountCents, reservedCents, askedCents });
          expect(reservation.ok).toBe(reservedCents + askedCents <= amountCents);
          const next = reservation.ok ? reservation.reservedCents : reservedCents;
          expect(next).toBe(reservation.ok ? reservedCents + askedCents : reservedCents);
          reservedCents = next;
        }
      }),
    );
  });
});

describe("the part of a payment that a refund holds", () => {
  it("is its amount while PENDING or AUTHORIZED, and nothing once failed (T-16)", () => {
    expect(heldCents({ status: "PENDING", eligibleAt: undefined }, 5n)).toBe(5n);
    expect(heldCents({ status: "AUTHORIZED" }, 5n)).toBe(5n);
    const errorDetails = { errorCode: "CUSTOMER_NOT_DEBITED", errorMessage: "Not debited." };
    expect(heldCents({ status: "TERMINAL_FAILED", errorDetails }, 5n)).toBe(0n);
  });

  it("is reserved when it is made and released once, however often it fails", () => {
    fc.assert(
      fc.property(refunds, cents, fc.array(fc.boolean()), (refund, amount, failures) => {
        let after = refund;
        let sum = reservationChange({ before: undefined, after }, amount);
        expect(sum).toBe(heldCents(refund, amount));
        for (const isReturn of failures) {
          const before = after;
          after = isReturn ? onReturned(before, { lateReturn: true }) : onFailed(before);
          sum += reservationChange({ before, after }, amount);
          expect(sum).toBe(after.status === "TERMINAL_FAILED" ? 0n : amount);
        }
      }),
    );
  });
});
