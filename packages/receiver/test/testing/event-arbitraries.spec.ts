import { eventArbitraries } from "@countersign/receiver/testing";
import { type EventTypeMap, standardCatalogue } from "@countersign/schemas";
import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { generatedEvents } from "./generated-events.ts";

const arbitraries = eventArbitraries(fc);
const types = Object.keys(standardCatalogue.events) as (keyof EventTypeMap)[];

describe("eventArbitraries", () => {
  it("has one for every type of the catalogue", () => {
    expect(Object.keys(arbitraries)).toEqual(types);
  });

  it("gives fast-check's own arbitraries of the type's events", () => {
    expectTypeOf(arbitraries["refund.failed"]).toEqualTypeOf<
      fc.Arbitrary<EventTypeMap["refund.failed"]>
    >();
    const property = fc.property(arbitraries["account.linked"], (event) => {
      expectTypeOf(event).toEqualTypeOf<EventTypeMap["account.linked"]>();
    });
    expect(property.isAsync()).toBe(false);
  });
});

generatedEvents({ validated: 30, handled: 10 });

describe("what the arbitraries reach", () => {
  const some = <T>(arbitrary: fc.Arbitrary<T>): T[] =>
    fc.sample(arbitrary, { numRuns: 1000, seed: 1 });

  it("is the one status of a failed refund, with and without the merchant's reference", () => {
    const refunds = some(arbitraries["refund.failed"]).map(({ data }) => data);
    expect(new Set(refunds.map(({ paymentStatus }) => paymentStatus))).toEqual(
      new Set(["TERMINAL_FAILED"]),
    );
    expect(refunds.some(({ clientReferenceId }) => clientReferenceId === null)).toBe(true);
    expect(refunds.some(({ clientReferenceId }) => clientReferenceId !== null)).toBe(true);
  });

  it("[R-MONEY-EXACT] is amounts of cents from the smallest to the largest", () => {
    const amounts = some(arbitraries["payment.succeeded"]).map(({ data }) => data.amount.value);
    expect(Math.min(...amounts)).toBe(0.01);
    expect(Math.max(...amounts)).toBe(99_999_999.99);
    expect(amounts.every((value) => /^\d+(\.\d{1,2})?$/.test(String(value)))).toBe(true);
  });

  it("is optional members, present and absent", () => {
    const payments = some(arbitraries["payment.created"]).map(({ data }) => data);
    for (const member of ["settlementDate", "originalPaymentId", "errorDetails"]) {
      expect(payments.some((payment) => member in payment)).toBe(true);
      expect(payments.some((payment) => !(member in payment))).toBe(true);
    }
  });

  it("is texts beyond the basic plane", () => {
    const names = some(arbitraries["customer.created"]).map(({ data }) => data.firstName);
    expect(names.some((name) => /[\u{10000}-\u{10ffff}]/u.test(name))).toBe(true);
  });
});
