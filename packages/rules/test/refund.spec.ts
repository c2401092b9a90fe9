import { describe, expect, it } from "vitest";
import { decide, onFailed, onSettled, onTime } from "../src/refund.ts";
import { ms, standardHold } from "./holds.ts";

const settledAt = ms("2026-11-25T01:30:00.000Z");
const eligibleAt = ms("2026-11-30T05:00:00.000Z");
const asked = { amountCents: 1000n, reservedCents: 0n, askedCents: 1000n, hold: standardHold };

const failure = {
  status: "TERMINAL_FAILED",
  errorDetails: {
    errorCode: "CUSTOMER_NOT_DEBITED",
    errorMessage: "The original debit was not successful.",
  },
} as const;

describe("a refund request (S 3.1)", () => {
  it.each([
    ["processing", { state: "processing" }, { status: "PENDING", eligibleAt: undefined }],
    ["settled", { state: "settled", settledAt }, { status: "PENDING", eligibleAt }],
    ["failed", { state: "failed" }, failure],
    ["covered", { state: "covered" }, failure],
  ] as const)("of a payment that is %s", (_, debit, refund) => {
    expect(decide({ ...asked, debit, now: eligibleAt - 1 })).toEqual({ ok: true, refund });
  });

  it("is AUTHORIZED from the threshold on", () => {
    const debit = { state: "settled", settledAt } as const;
    expect(decide({ ...asked, debit, now: eligibleAt })).toEqual({
      ok: true,
      refund: { status: "AUTHORIZED" },
    });
  });
});

describe("a PENDING refund", () => {
  const pending = { status: "PENDING", eligibleAt: undefined } as const;

  it("waits from the settlement on, and is AUTHORIZED in time (T-18)", () => {
    const held = onSettled(pending, { settledAt, now: settledAt, hold: standardHold });
    expect(held).toEqual({ status: "PENDING", eligibleAt });
    expect(onTime(held, eligibleAt - 1)).toBe(held);
    expect(onTime(held, eligibleAt)).toEqual({ status: "AUTHORIZED" });
  });

  it("fails with its payment", () => {
    expect(onFailed(pending)).toMatchObject({
      errorDetails: { errorCode: "CUSTOMER_NOT_DEBITED" },
    });
  });
});
