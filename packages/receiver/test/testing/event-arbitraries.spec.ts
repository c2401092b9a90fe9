import { eventArbitraries } from "@countersign/receiver/testing";
import { type EventTypeMap, standardCatalogue } from "@countersign/schemas";
import { validateEvent } from "@countersign/schemas/writers";
import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { attemptOf, recordingReceiver } from "../fixtures.ts";

const arbitraries = eventArbitraries(fc);
const types = Object.keys(standardCatalogue.events) as (keyof EventTypeMap)[];
const sample = <T>(arbitrary: fc.Arbitrary<T>): T[] =>
  fc.sample(arbitrary, { numRuns: 1000, seed: 1 });

describe("eventArbitraries", () => {
  it("has a typed arbitrary for each type of the catalogue", () => {
    expect(Object.keys(arbitraries)).toEqual(types);
    expectTypeOf(arbitraries["refund.failed"]).toEqualTypeOf<
      fc.Arbitrary<EventTypeMap["refund.failed"]>
    >();
  });

  it.each(types)("generates a %s that is valid and that a receiver handles", async (type) => {
    await fc.assert(
      fc.asyncProperty(arbitraries[type], async (event) => {
        expect(validateEvent(event)).toEqual({ ok: true, value: event });
        const seen: unknown[] = [];
        const { receiver } = recordingReceiver();
        receiver.on(type, (got) => void seen.push(got));
        const outcome = await receiver.receive(attemptOf(event));
        expect(outcome).toMatchObject({ kind: "handled", type, key: { id: event.id } });
        expect(seen).toEqual([event]);
      }),
      { numRuns: 10 },
    );
  });

  it("generates a failed refund with its only status, with and without the merchant's reference", () => {
    const refunds = sample(arbitraries["refund.failed"]).map(({ data }) => data);
    const statuses = refunds.map(({ paymentStatus }) => paymentStatus);
    expect(new Set(statuses)).toEqual(new Set(["TERMINAL_FAILED"]));
    const isNull = refunds.map(({ clientReferenceId }) => clientReferenceId === null);
    expect(new Set(isNull)).toEqual(new Set([true, false]));
  });

  it("[R-MONEY-EXACT] generates amounts of cents from the smallest to the largest", () => {
    const amounts = sample(arbitraries["payment.succeeded"]).map(({ data }) => data.amount.value);
    expect(Math.min(...amounts)).toBe(0.01);
    expect(Math.max(...amounts)).toBe(99_999_999.99);
    expect(amounts.every((value) => /^\d+(\.\d{1,2})?$/.test(String(value)))).toBe(true);
  });

  it("generates payments with and without each optional member", () => {
    const payments = sample(arbitraries["payment.created"]).map(({ data }) => data);
    for (const member of ["settlementDate", "originalPaymentId", "errorDetails"])
      expect(new Set(payments.map((payment) => member in payment))).toEqual(new Set([true, false]));
  });

  it("generates texts beyond the basic plane", () => {
    const names = sample(arbitraries["customer.created"]).map(({ data }) => data.firstName);
    expect(names.some((name) => /[\u{10000}-\u{10ffff}]/u.test(name))).toBe(true);
  });
});
