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
const RUNS = 15;

const fault = fc.constantFrom(...faults);

describe("T-01: a refund whose exchange is disturbed", () => {
  it.each(faults)("by $kind at $tenths tenths of the $of is made exactly once", async (one) => {
    const { answer, made, requestKey } = await refunds.ask([one]);
    expect(made).toHaveLength(1);
    expect(answer).toMatchObject({
      refundId: made[0]?.["paymentId"],
      paymentStatus: made[0]?.["paymentStatus"],
      clientReferenceId: `for ${requestKey}`,
    });
  });

  it("in any way on up to four attempts is made exactly once", async () => {
    const happening = fc.array(fault, { minLength: 2, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(happening, async (some) => {
        const { answer, made } = await refunds.ask(some);
        expect(made.map(({ paymentId }) => paymentId)).toEqual([answer?.refundId]);
      }),
      { numRuns: RUNS },
    );
  });

  it("on every attempt is not denied where it may be made, and the same key finds it", async () => {
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
      { numRuns: RUNS },
    );
  });
});
