import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { checkHold } from "../src/hold.ts";
import { MAX_CENTS } from "../src/money.ts";

describe.each(Object.entries(profiles))("the profile %s", (_, profile) => {
  it("has a hold and a range of amounts of these rules", () => {
    expect(checkHold(profile.hold)).toBeUndefined();
    expect(BigInt(profile.amount.minimumCents)).toBe(1n);
    expect(BigInt(profile.amount.maximumCents)).toBe(MAX_CENTS);
  });
});
