import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decide,
  heldCents,
  onCovered,
  onDebit,
  onFailed,
  onReturned,
  onSettled,
  onTime,
  reservationChange,
  reserve,
  type Debit,
  type ErrorDetails,
  type Refund,
} from "../src/refund.ts";
import { debits, instants, ms, refunds, standardHold } from "./refunds.ts";

const hold = standardHold;
const settledAt = ms("2026-11-25T01:30:00.000Z");
const eligibleAt = ms("2026-11-30T05:00:00.000Z");
const settled: Debit = { state: "settled", settledAt };
const asked = { amountCents: 1000n, reservedCents: 0n, askedCents: 1000n, now: eligibleAt, hold };

const monthLater = settledAt + 30 * 86_400_000;
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
    ["settled a moment ago is PENDING", settled, settledAt, held],
    ["settled is PENDING 1 ms before the threshold (T-17)", settled, eligibleAt - 1, held],
    ["settled is AUTHORIZED at the threshold (T-17)", settled, eligibleAt, authorized],
    ["settled long ago is AUTHORIZED", settled, ms("2030-01-01T00:00:00Z"), authorized],
    ["failed is TERMINAL_FAILED (T-06)", { state: "failed" }, 0, notDebited],
    ["covered is TERMINAL_FAILED (T-07)", { state: "covered" }, 0, notDebited],
    [
      "covered 30 days later is TERMINAL_FAILED (T-07)",
      { state: "covered" },
      monthLater,
      notDebited,
    ],
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
    const later = ms("2026-11-25T05:00:00.000Z");
    expect(onSettled(held, { settledAt: later, now: later, hold })).toEqual({
      status: "PENDING",
      eligibleAt: ms("2026-12-01T05:00:00.000Z"),
    });
  });

  it.each<[string, Refund, Refund]>([
    ["remains if the same settlement is reported again", onSettled(held, settlement), held],
    ["is AUTHORIZED if its settlement is reported late", onSettled(waiting, overdue), authorized],
    ["remains PENDING 1 ms before the threshold (T-17)", onTime(held, eligibleAt - 1), held],
    ["is AUTHORIZED at the threshold (T-17)", onTime(held, eligibleAt), authorized],
    ["fails with its payment", onFailed(waiting), notDebited],
  ])("%s", (_, after, expected) => {
    expect(after).toEqual(expected);
  });

  it("fails if failure and threshold fall on one instant, in either order (T-09)", () => {
    const now = eligibleAt;
    for (const debit of [{ state: "failed" }, { state: "covered" }] as const) {
      expect(onDebit(held, { debit, now, hold })).toEqual(notDebited);
      expect(onTime(onDebit(held, { debit, now, hold }), now)).toEqual(notDebited);
    }
  });
});

describe("an AUTHORIZED refund", () => {
  it("stays AUTHORIZED when its payment fails or is covered later (T-08)", () => {
    expect(onFailed(authorized)).toBe(authorized);
    expect(onCovered(authorized)).toBe(authorized);
  });

  it("fails when its bank returns it, if the profile knows late returns", () => {
    expect(onReturned(authorized, { lateReturn: true })).toEqual(returned);
    expect(onReturned(authorized, { lateReturn: false })).toBe(authorized);
  });
});

describe("the refunds of one payment (T-07, T-08, T-16)", () => {
  const cents = fc.bigInt({ min: 1n, max: 9_999_999_999n });
  const steps = fc.oneof(
    fc.bigInt({ min: 1n, max: 700n }).map((askedCents) => ({ askedCents })),
    debits.map((debit) => ({ debit })),
    fc.nat(100 * 3_600_000).map((wait) => ({ wait })),
    fc.boolean().map((lateReturn) => ({ lateReturn })),
  );

  it("reserve no more than the payment, and only requests above the rest are refused", () => {
    fc.assert(
      fc.property(cents, cents, cents, (amountCents, reserved, other) => {
        const reservedCents = reserved % (amountCents + 1n);
        const rest = amountCents - reservedCents;
        for (const askedCents of [other, rest + 1n, ...(rest > 0n ? [rest] : [])]) {
          const amounts = { amountCents, reservedCents, askedCents };
          const code = rest === 0n ? "PAYMENT_ALREADY_REFUNDED" : "REFUND_AMOUNT_EXCEEDS_REMAINING";
          const isRefused = askedCents > rest;
          expect(reserve(amounts)).toEqual(
            isRefused
              ? { ok: false, code }
              : { ok: true, reservedCents: reservedCents + askedCents },
          );
          expect(decide({ ...asked, ...amounts, debit: settled })).toEqual(
            isRefused ? { ok: false, code } : { ok: true, refund: authorized },
          );
        }
      }),
    );
  });

  it("keep the reserved sum equal to what PENDING and AUTHORIZED refunds hold, at every step", () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 40 }), (run) => {
        let debit: Debit = { state: "processing" };
        let now = settledAt;
        let reservedCents = 0n;
        const made: { cents: bigint; refund: Refund }[] = [];
        const total = () =>
          made.reduce((sum, { cents: each, refund }) => sum + heldCents(refund, each), 0n);
        const move = (change: (refund: Refund) => Refund) => {
          for (const one of made) {
            const before = one.refund;
            one.refund = change(before);
            reservedCents += reservationChange({ before, after: one.refund }, one.cents);
          }
        };
        for (const step of run) {
          if ("askedCents" in step) {
            const { askedCents } = step;
            const decision = decide({ ...asked, debit, now, reservedCents, askedCents });
            const hasFailed = debit.state === "failed" || debit.state === "covered";
            expect(decision.ok).toBe(hasFailed || total() + askedCents <= asked.amountCents);
            if (!decision.ok) continue;
            made.push({ cents: askedCents, refund: decision.refund });
            const change = { before: undefined, after: decision.refund };
            reservedCents += reservationChange(change, askedCents);
          } else if ("debit" in step) {
            debit = step.debit;
            move((refund) => onDebit(refund, { debit, now, hold }));
          } else if ("wait" in step) {
            now += step.wait;
            move((refund) => onTime(refund, now));
          } else move((refund) => onReturned(refund, step));
          const sum = made.filter(({ refund }) => refund.status !== "TERMINAL_FAILED");
          expect(reservedCents).toBe(sum.reduce((left, one) => left + one.cents, 0n));
          expect(reservedCents).toBe(total());
          expect(reservedCents).toBeLessThanOrEqual(asked.amountCents);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("reach the same state if the settlement is reported before or after the request", () => {
    fc.assert(
      fc.property(debits, instants, fc.nat(9 * 86_400_000), (debit, now, later) => {
        const early = decide({ ...asked, debit: { state: "processing" }, now });
        const late = decide({ ...asked, debit, now: now + later });
        fc.pre(early.ok && late.ok);
        const told = onDebit(early.refund, { debit, now, hold });
        expect(onDebit(told, { debit, now: now + later, hold })).toEqual(late.refund);
      }),
    );
  });

  it("remain the same object if a report about the debit changes nothing", () => {
    fc.assert(
      fc.property(refunds, debits, instants, (refund, debit, now) => {
        const after = onDebit(refund, { debit, now, hold });
        expect(after === refund).toBe(JSON.stringify(after) === JSON.stringify(refund));
        if (refund.status !== "PENDING") expect(after).toBe(refund);
      }),
    );
  });
});
