import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { customerTransitions } from "../src/customer.ts";
import { checkHold } from "../src/hold.ts";
import { MAX_CENTS } from "../src/money.ts";

describe.each(Object.entries(profiles))("the profile %s", (_, profile) => {
  it("has a hold, a range of amounts and moves of customers of these rules", () => {
    expect(checkHold(profile.hold)).toBeUndefined();
    expect(BigInt(profile.amount.minimumCents)).toBe(1n);
    expect(BigInt(profile.amount.maximumCents)).toBe(MAX_CENTS);
    const moves = customerTransitions.filter(({ from }) => from !== undefined);
    expect(new Set(profile.customer.transitions.map(({ from, to }) => `${from} ${to}`))).toEqual(
      new Set(moves.map(({ from, to }) => `${from} ${to}`)),
    );
  });
});
