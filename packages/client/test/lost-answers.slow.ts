import { describe, expect, it } from "vitest";
import { openDisturbedRefunds } from "./disturbed-refunds.ts";
import { faults } from "./fault-proxy.ts";

describe("T-01: a refund whose first two attempts are disturbed", () => {
  // A sandbox for each first fault: its list of refunds stays short.
  it.each(faults)("is made once, the first by $kind at $tenths/10 of the $of", async (first) => {
    const refunds = await openDisturbedRefunds();
    try {
      for (const second of [undefined, ...faults]) {
        const { answer, made } = await refunds.ask(
          second === undefined ? [first] : [first, second],
        );
        const ids = made.map(({ paymentId }) => paymentId);
        expect([second, ids]).toEqual([second, [answer?.refundId]]);
      }
    } finally {
      await refunds.close();
    }
  });
});
