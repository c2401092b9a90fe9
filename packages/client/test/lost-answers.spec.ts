import { isClientError } from "@countersign/client";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDisturbedRefunds, type DisturbedRefunds } from "./disturbed-refunds.ts";
import { faults } from "./fault-proxy.ts";

let refunds: DisturbedRefunds;
beforeAll(async () => {
  refunds = await openDisturbedRefunds();
});
afterAll(() => refunds.close());

/** Every pair of the first two faults is in the slow lane. */
const numRuns = 10;
const fault = fc.constantFrom(...faults);

describe("T-01: a refund whose exchange is disturbed", () => {
  it("is made exactly once, whichever fault happens at the start, in the middle or at the end", async () => {
    for (const one of faults.filter(({ tenths }) => tenths % 5 === 0)) {
      const { answer, made, requestKey } = await refunds.ask([one]);
      const expected = { refundId: made[0]?.["paymentId"], clientReferenceId: `for ${requestKey}` };
      expect([one, made.length, answer]).toEqual([one, 1, expect.objectContaining(expected)]);
    }
  });

  it("is made exactly once after any faults on two to four attempts", async () => {
    const happening = fc.array(fault, { minLength: 2, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(happening, async (some) => {
        const { answer, made } = await refunds.ask(some);
        expect(made.map(({ paymentId }) => paymentId)).toEqual([answer?.refundId]);
      }),
      { numRuns },
    );
  });

  it("may be done after faults on every attempt, and the same key finds it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.tuple(fault, fault), async (both) => {
        const first = await refunds.ask(both, { attempts: 2 });
        if (first.answer === undefined) {
          if (!isClientError(first.error)) throw first.error;
          expect(first.error.attempts).toBe(2);
          expect(first.error.mayBeDone || first.made.length === 0).toBe(true);
        }
        const again = await refunds.ask([], { requestKey: first.requestKey });
        expect(again.made.map(({ paymentId }) => paymentId)).toEqual([again.answer?.refundId]);
        expect(again.answer?.recovered).toBe(first.made.length === 1);
      }),
      { numRuns },
    );
  });
});
