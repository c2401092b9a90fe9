import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decide,
  onFailed,
  onReturned,
  onSettled,
  onTime,
  type Debit,
  type ErrorDetails,
  type Refund,
} from "../src/refund.ts";
import { debits, instants, ms, standardHold } from "./refunds.ts";

const hold = standardHold;
const settledAt = ms("2026-11-25T01:30:00.000Z");
const eligibleAt = ms("2026-11-30T05:00:00.000Z");
const settled: Debit = { state: "settled", settledAt };
const asked = { amountCents: 1000n, reservedCents: 0n, askedCents: 1000n, now: eligibleAt, hold };

const settlement = { settledAt, now: settledAt, hold };
const overdue = { ...settlement, now: eligibleAt };
const waiting: Refund = { status: "PENDING", eligibleAt: undefined };
const held: Refund = { status: "PENDING", eligibleAt };
const authorized: Refund = { status: "AUTHORIZED" };
const failed = (errorCode: ErrorDetails["errorCode"], errorMessage: string): Refund => ({
  status: "TERMINAL_FAILED",
  errorDetails: { errorCode, errorMessage },
});
const notDebited = failed("CUSTOMER_NOT_DEBITED", "The original debit was not successful.");
const returned = failed("REFUND_RETURNED", "The receiving bank returned the refund.");

describe("a refund request (S 3.1)", () => {
  it.each<[string, Debit, number, Refund]>([
    ["still processing is PENDING without a threshold", { state: "processing" }, 0, waiting],
    ["settled is PENDING 1 ms before the threshold (T-17)", settled, eligibleAt - 1, held],
    ["settled is AUTHORIZED at the threshold (T-17)", settled, eligibleAt, authorized],
    ["failed is TERMINAL_FAILED (T-06)", { state: "failed" }, 0, notDebited],
    ["covered is TERMINAL_FAILED (T-07)", { state: "covered" }, eligibleAt, notDebited],
  ])("of a payment %s", (_, debit, now, refund) => {
    expect(decide({ ...asked, debit, now })).toEqual({ ok: true, refund });
  });

  it("of a failed or covered debit reports that failure before an exceeded amount", () => {
    for (const state of ["failed", "covered"] as const)
      for (const amounts of [{ reservedCents: 1000n, askedCents: 1n }, { askedCents: 1001n }]) {
        const decision = decide({ ...asked, debit: { state }, ...amounts });
        expect(decision).toEqual({ ok: true, refund: notDebited });
      }
  });

  it("throws a TypeError for impossible amounts", () => {
    const one = '"askedCents" must be 1 or more';
    const all = '"reservedCents" must be from 0 to "amountCents"';
    for (const [wrong, message] of [
      [{ askedCents: 0n }, one],
      [{ askedCents: -1n }, one],
      [{ reservedCents: -1n }, all],
      [{ reservedCents: 1001n }, all],
    ] as const)
      for (const debit of [settled, { state: "failed" }] as const)
        expect(() => decide({ ...asked, debit, ...wrong })).toThrow(new TypeError(message));
  });
});

describe("a PENDING refund (S 3.1)", () => {
  it("gets its threshold from the settlement, not from the request (T-18)", () => {
    expect(onSettled(waiting, settlement)).toEqual(held);
    expect(onSettled(held, settlement)).toBe(held);
    const later = ms("2026-11-25T05:00:00.000Z");
    expect(onSettled(held, { settledAt: later, now: later, hold })).toEqual({
      status: "PENDING",
      eligibleAt: ms("2026-12-01T05:00:00.000Z"),
    });
  });

  it.each<[string, Refund, Refund]>([
    ["is AUTHORIZED if its settlement is reported late", onSettled(waiting, overdue), authorized],
    ["remains PENDING 1 ms before the threshold (T-17)", onTime(held, eligibleAt - 1), held],
    ["is AUTHORIZED at the threshold (T-17)", onTime(held, eligibleAt), authorized],
    ["fails with its payment", onFailed(waiting), notDebited],
  ])("%s", (_, after, expected) => {
    expect(after).toEqual(expected);
  });

  it("fails if failure and threshold fall on one instant (T-09)", () => {
    expect(onTime(onFailed(held), eligibleAt)).toEqual(notDebited);
  });
});

describe("an AUTHORIZED refund", () => {
  it("stays AUTHORIZED when its payment fails or is covered later (T-08)", () => {
    expect(onFailed(authorized)).toBe(authorized);
  });

  it("fails when its bank returns it", () => {
    expect(onReturned(authorized)).toEqual(returned);
  });
});

describe("the refunds of one payment (T-07, T-08, T-16)", () => {
  const cents = fc.bigInt({ min: 1n, max: 9_999_999_999n });

  it("reserve no more than the payment, and only requests above the rest are refused", () => {
    fc.assert(
      fc.property(cents, cents, cents, (amountCents, reserved, other) => {
        const reservedCents = reserved % (amountCents + 1n);
        const rest = amountCents - reservedCents;
        for (const askedCents of [other, rest + 1n, ...(rest > 0n ? [rest] : [])]) {
          const amounts = { amountCents, reservedCents, askedCents };
          const code = rest === 0n ? "PAYMENT_ALREADY_REFUNDED" : "REFUND_AMOUNT_EXCEEDS_REMAINING";
          const isRefused = askedCents > rest;
          expect(decide({ ...asked, ...amounts, debit: settled })).toEqual(
            isRefused ? { ok: false, code } : { ok: true, refund: authorized },
          );
        }
      }),
    );
  });

  const applied = (refund: Refund, { debit, now }: { debit: Debit; now: number }): Refund => {
    if (debit.state === "settled") return onSettled(refund, { ...debit, now, hold });
    return debit.state === "processing" ? refund : onFailed(refund);
  };

  it("reach the same state if the settlement is reported before or after the request", () => {
    fc.assert(
      fc.property(debits, instants, fc.nat(9 * 86_400_000), (debit, now, later) => {
        const early = decide({ ...asked, debit: { state: "processing" }, now });
        const late = decide({ ...asked, debit, now: now + later });
        fc.pre(early.ok && late.ok);
        const told = applied(early.refund, { debit, now });
        expect(onTime(told, now + later)).toEqual(late.refund);
      }),
    );
  });
});
