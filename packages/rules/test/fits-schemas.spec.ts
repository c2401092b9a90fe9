import type * as schemas from "@countersign/schemas";
import { standardCatalogue } from "@countersign/schemas";
import { profiles, type Profile } from "@countersign/schemas/profiles";
import { describe, expect, expectTypeOf, it } from "vitest";
import { federalReserve } from "../src/business-days.ts";
import { customerTransitions, type CustomerStatus } from "../src/customer.ts";
import { checkHold, type Hold } from "../src/hold.ts";
import { MAX_CENTS, type AmountPolicy } from "../src/money.ts";
import { refundTransitions } from "../src/refund-transitions.ts";
import type { ErrorDetails, RefundStatus } from "../src/refund.ts";
import { type CatalogueRow, type SubscriptionDetails } from "../src/subscription.ts";

// The package imports nothing, types included: its structural types are held against the schemas'
// here. Each assignment is judged by the compiler.
describe("the types of the rules", () => {
  it("fit the resources of the schemas", () => {
    expectTypeOf<RefundStatus>().toEqualTypeOf<schemas.Refund["paymentStatus"]>();
    expectTypeOf<CustomerStatus>().toEqualTypeOf<schemas.Customer["customerStatus"]>();
    expectTypeOf<schemas.SubscriptionDetails>().toExtend<SubscriptionDetails>();
    expectTypeOf<schemas.RefundFailed["errorDetails"]>().toExtend<ErrorDetails>();
  });

  it("fit the choices of a profile", () => {
    expectTypeOf<Profile["amount"]>().toExtend<AmountPolicy>();
    expectTypeOf<Profile["catalogue"][number]>().toExtend<CatalogueRow>();
    expectTypeOf<Omit<Profile["hold"], "calendar">>().toExtend<Omit<Hold, "calendar">>();
  });
});

describe.each(Object.entries(profiles))("the profile %s", (_, profile) => {
  it("has a hold, a range of amounts and moves of customers of these rules", () => {
    const { closed, open, ...hold } = profile.hold;
    expect(checkHold({ ...hold, calendar: { ...federalReserve, closed, open } })).toBeUndefined();
    expect(BigInt(profile.amount.minimumCents)).toBe(1n);
    expect(BigInt(profile.amount.maximumCents)).toBe(MAX_CENTS);
    const moves = customerTransitions.filter(({ from }) => from !== undefined);
    expect(new Set(profile.customer.transitions.map(({ from, to }) => `${from} ${to}`))).toEqual(
      new Set(moves.map(({ from, to }) => `${from} ${to}`)),
    );
  });
});

describe("the effects of moves", () => {
  it("are events of the standard catalogue", () => {
    const effects = [...refundTransitions, ...customerTransitions].map(({ effect = "" }) => effect);
    const events = effects.flatMap(
      (effect) => effect.match(/\b(?:refund|customer)\.[a-z]+/g) ?? [],
    );
    expect(events.length).toBeGreaterThan(0);
    for (const event of events) expect(Object.keys(standardCatalogue.events)).toContain(event);
  });
});
