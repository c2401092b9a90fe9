import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { deliveryPolicyOf } from "../../src/delivery/policy.ts";

describe("the delivery of a profile (S 6.6)", () => {
  it("is ten attempts over 75 hours, 15 s each, in the standard one", () => {
    const policy = deliveryPolicyOf(profiles.standard);
    expect(policy).toMatchObject({
      schedule: { jitter: 0.1, retryAfterFactor: 2 },
      success: "2xx",
      gone: 410,
      pause: { failures: 400, afterMs: 86_400_000 },
      deadlineMs: 15_000,
      leaseMs: 60_000,
    });
    const { steps } = policy.schedule;
    expect(steps).toHaveLength(10);
    expect(steps.reduce((sum, step) => sum + step, 0)).toBe(272_105_000);
  });

  it("may take 200 alone", () => {
    const { delivery } = profiles.standard;
    expect(deliveryPolicyOf({ delivery: { ...delivery, success: "200" } }).success).toEqual([200]);
  });

  it("always leases for longer than its deadline", () => {
    const { delivery } = profiles.standard;
    const { deadlineMs, leaseMs } = deliveryPolicyOf({
      delivery: { ...delivery, timeoutMs: 120_000 },
    });
    expect(leaseMs).toBeGreaterThanOrEqual(deadlineMs + 5000);
  });
});
