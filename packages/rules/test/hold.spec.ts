import { describe, expect, it } from "vitest";
import { eligibleAt } from "../src/hold.ts";
import { ms, standardHold } from "./holds.ts";

describe("the threshold of 3 business days (T-17)", () => {
  it("is midnight in New York on the third business day after the settlement's New York date", () => {
    // 24 November, 20:30 in New York; by the UTC date it would be 1 December.
    expect(eligibleAt(ms("2026-11-25T01:30:00.000Z"), standardHold)).toBe(
      ms("2026-11-30T05:00:00.000Z"),
    );
  });
});
