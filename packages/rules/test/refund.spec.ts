import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decide,
  onCovered,
  onDebit,
  onFailed,
  onReturned,
  onSettled,
  onTime,
  type Debit,
  type Refund,
} from "../src/refund.ts";
import { ms, standardHold } from "./holds.ts";
import { debits, instants, refunds } from "./refunds.ts";

const hold = standardHold;
const settledAt = ms("2026-11-25T01:30:00.000Z");
const eligibleAt = ms("2026-11-30T05:00:00.000Z");
const settled: Debit = { state: "settled", settledAt };
const asked = { amountCents: 1000n, reservedCents: 0n, askedCents: 1000n, now: eligibleAt, hold };

const waiting: Refund = { status: "PENDING", eligibleAt: undefined };
const held: Refund = { status: "PENDING", eligibleAt };
const authorized: Refund = { status: "AUTHORIZED" };
const notDebited: Refund = {
  status: "TERMINAL_FAILED",
  errorDetails: {
    errorCode: "CUSTOMER_NOT_DEBITED",
    errorMessage: "The original debit was not successful.",
  },
};
const returned: Refund = {
  status: "TERMINAL_FAILED",
  errorDetails: {
    errorCode: "REFUND_RETURNED",
    errorMessage: "The receiving bank returned the refund.",
  },
};

describe("a refund request (S 3.1)", () => {
  it.each<[string, Debit, number, Refund]>([
    ["still processing is PENDING without a threshold", { state: "processing" }, 0, waiting],
    ["settled a moment ago is PENDING", settled, settledAt, held],
    ["settled is PENDING 1 ms before the threshold (T-17)", settled, eligibleAt - 1, held],
    ["settled is AUTHORIZED at the threshold (T-17)", settled, eligibleAt, authorized],
    ["settled is AUTHORIZED 1 ms after the threshold", settled, eligibleAt + 1, authorized],
    ["settled long ago is AUTHORIZED", settled, ms("2030-01-01T00:00:00Z"), authorized],
    ["failed is TERMINAL_FAILED (T-06)", { state: "failed" }, 0, notDebited],
    ["covered is TERMINAL_FAILED (T-07)", { state: "covered" }, 0, notDebited],
    [
      "covered is TERMINAL_FAILED 30 days after settlement (T-07)",
      { state: "covered" },
      settledAt + 30 * 86_400_000,
      notDebited,
    ],
  ])("of a payment %s", (_, debit, now, refund) => {
    expect(decide({ ...asked, debit, now })).toEqual({ ok: true, refund });
  });

  it.each([
    [1000n, 0n, 1000n, undefined],
    [1000n, 0n, 1n, undefined],
    [1000n, 999n, 1n, undefined],
    [1000n, 0n, 1001n, "REFUND_AMOUNT_EXCEEDS_REMAINING"],
    [1000n, 999n, 2n, "REFUND_AMOUNT_EXCEEDS_REMAINING"],
    [1000n, 1000n, 1n, "PAYMENT_ALREADY_REFUNDED"],
    [1000n, 1000n, 5000n, "PAYMENT_ALREADY_REFUNDED"],
  ] as const)(
    "of a payment of %s with %s refunded, for %s, is refused by what remains (T-16)",
    (amountCents, reservedCents, askedCents, code) => {
      const decision = decide({ ...asked, debit: settled, amountCents, reservedCents, askedCents });
      expect(decision).toEqual(
        code === undefined ? { ok: true, refund: authorized } : { ok: false, code },
      );
    },
  );

  it.each<Debit>([{ state: "failed" }, { state: "covered" }])(
    "of a payment that %o has its failure judged before what remains",
    (debit) => {
      for (const [reservedCents, askedCents] of [
        [1000n, 1n],
        [0n, 1001n],
      ] as const)
        expect(decide({ ...asked, debit, reservedCents, askedCents })).toEqual({
          ok: true,
          refund: notDebited,
        });
    },
  );

  it.each([
    [{ askedCents: 0n }, '"askedCents" must be 1 or more'],
    [{ askedCents: -1n }, '"askedCents" must be 1 or more'],
    [{ reservedCents: -1n }, '"reservedCents" must be from 0 to "amountCents"'],
    [{ reservedCents: 1001n }, '"reservedCents" must be from 0 to "amountCents"'],
  ])("for impossible amounts is a mistake of the caller: %o", (wrong, message) => {
    for (const debit of [settled, { state: "failed" }] as const)
      expect(() => decide({ ...asked, debit, ...wrong })).toThrow(new TypeError(message));
  });
});

describe("a PENDING refund (S 3.1)", () => {
  it("gets its threshold from the settlement, not from the request (T-18)", () => {
    expect(onSettled(waiting, { settledAt, now: settledAt, hold })).toEqual(held);
    const later = ms("2026-11-25T05:00:00.000Z");
    expect(onSettled(held, { settledAt: later, now: later, hold })).toEqual({
      status: "PENDING",
      eligibleAt: ms("2026-12-01T05:00:00.000Z"),
    });
  });

  it("stays as it is when told of the same settlement again", () => {
    expect(onSettled(held, { settledAt, now: settledAt, hold })).toBe(held);
  });

  it("is AUTHORIZED at once where news of the settlement come after the threshold", () => {
    expect(onSettled(waiting, { settledAt, now: eligibleAt, hold })).toEqual(authorized);
    expect(onSettled(waiting, { settledAt, now: eligibleAt - 1, hold })).toEqual(held);
  });

  it("is AUTHORIZED from the threshold on, and never without one (T-17)", () => {
    expect(onTime(held, eligibleAt - 1)).toBe(held);
    expect(onTime(held, eligibleAt)).toEqual(authorized);
    expect(onTime(held, eligibleAt + 1)).toEqual(authorized);
    expect(onTime(waiting, Number.MAX_SAFE_INTEGER)).toBe(waiting);
  });

  it("fails with its payment, however long its threshold has passed", () => {
    expect(onFailed(waiting)).toEqual(notDebited);
    expect(onFailed(held)).toEqual(notDebited);
    expect(onCovered(held)).toEqual(notDebited);
  });

  it("fails where failure and threshold fall on one instant, whichever came first (T-09)", () => {
    const now = eligibleAt;
    for (const debit of [{ state: "failed" }, { state: "covered" }] as const) {
      expect(onDebit(held, { debit, now, hold })).toEqual(notDebited);
      expect(onTime(onDebit(held, { debit, now, hold }), now)).toEqual(notDebited);
    }
  });

  it("is not returned by a bank that has received nothing", () => {
    expect(onReturned(held, { lateReturn: true })).toBe(held);
  });
});

describe("an AUTHORIZED refund", () => {
  it("stays AUTHORIZED when its payment fails or is covered later (T-08)", () => {
    expect(onFailed(authorized)).toBe(authorized);
    expect(onCovered(authorized)).toBe(authorized);
  });

  it("is returned by its bank where the profile knows late returns", () => {
    expect(onReturned(authorized, { lateReturn: true })).toEqual(returned);
    expect(onReturned(authorized, { lateReturn: false })).toBe(authorized);
  });
});

describe("a refund in any state", () => {
  const step = { debit: debits, now: instants };

  it("is the same object where nothing changes", () => {
    fc.assert(
      fc.property(refunds, fc.record(step), fc.boolean(), (refund, { debit, now }, lateReturn) => {
        const steps = [
          onFailed(refund),
          onCovered(refund),
          onTime(refund, now),
          onReturned(refund, { lateReturn }),
          onDebit(refund, { debit, now, hold }),
        ];
        for (const after of steps) {
          const isEqual = JSON.stringify(after) === JSON.stringify(refund);
          expect(after === refund).toBe(isEqual);
        }
      }),
    );
  });

  it("once final stays as it is", () => {
    fc.assert(
      fc.property(refunds, fc.record(step), (refund, { debit, now }) => {
        fc.pre(refund.status !== "PENDING");
        expect(onTime(onCovered(onFailed(refund)), now)).toBe(refund);
        expect(onDebit(refund, { debit, now, hold })).toBe(refund);
        const isFinal = refund.status === "TERMINAL_FAILED";
        expect(onReturned(refund, { lateReturn: true }) === refund).toBe(isFinal);
      }),
    );
  });

  it("is as decided at first or as moved since: the way does not matter", () => {
    // Asked before the settlement and told of it, or asked after it: the same at each instant.
    fc.assert(
      fc.property(debits, instants, fc.nat(9 * 86_400_000), (debit, now, later) => {
        const early = decide({ ...asked, debit: { state: "processing" }, now });
        const late = decide({ ...asked, debit, now: now + later });
        fc.pre(early.ok && late.ok);
        const told = onDebit(early.refund, { debit, now, hold });
        const moved = onDebit(told, { debit, now: now + later, hold });
        expect(moved).toEqual(late.refund);
      }),
    );
  });

  it("never goes back as time passes", () => {
    const order = { PENDING: 0, AUTHORIZED: 1, TERMINAL_FAILED: 2 };
    fc.assert(
      fc.property(refunds, fc.array(fc.nat(3 * 86_400_000)), (refund, waits) => {
        let now = settledAt;
        let state = onTime(refund, now);
        for (const wait of waits) {
          now += wait;
          const next = onTime(state, now);
          expect(order[next.status]).toBeGreaterThanOrEqual(order[state.status]);
          state = next;
        }
        expect(state).toEqual(onTime(refund, now));
      }),
    );
  });
});
