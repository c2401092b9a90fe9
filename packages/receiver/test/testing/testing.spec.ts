import { AssertionError } from "node:assert";
import {
  eventFactories,
  expectHandled,
  eventArbitraries,
  fakeClock,
} from "@countersign/receiver/testing";
import { type EventTypeMap, standardCatalogue } from "@countersign/schemas";
import { validateEvent } from "@countersign/schemas/writers";
import { describe, expect, expectTypeOf, it } from "vitest";
import fc from "fast-check";
import type { Outcome } from "@countersign/receiver";
import { attemptOf, genuine, NOON, recordingReceiver, refundAuthorized } from "../fixtures.ts";

const types = Object.keys(standardCatalogue.events) as (keyof EventTypeMap)[];

describe("eventFactories", () => {
  it("numbers events by their counter, whatever their types, or by the counter and the clock of the test", () => {
    const events = eventFactories();
    const requested = ["refund.pending", "refund.pending", "customer.created"] as const;
    expect(requested.map((type) => events[type]().id)).toEqual(["evt_1", "evt_2", "evt_3"]);
    const given = eventFactories({ counter: () => 41, now: () => Date.UTC(2026, 10, 24) });
    const stamped = { id: "evt_41", timestamp: "2026-11-24T00:00:00.000Z" };
    expect(given["account.updated"]()).toMatchObject(stamped);
  });

  it("changes only the members that are given", () => {
    const events = eventFactories();
    const plain = events["payment.succeeded"]();
    const changed = events["payment.succeeded"]({ data: { amount: { value: 10.5 } } });
    expect(changed).toEqual({
      ...plain,
      id: "evt_2",
      data: { ...plain.data, amount: { currency: "USD", value: 10.5 } },
    });
    expectTypeOf(changed).toEqualTypeOf<EventTypeMap["payment.succeeded"]>();
  });

  it("removes a member that is given as undefined, and carries no change over to the next event", () => {
    const events = eventFactories();
    const event = events["payment.succeeded"]({ data: { settlementDate: undefined } });
    expect(event.data).not.toHaveProperty("settlementDate");
    expect(events["payment.succeeded"]().data).toHaveProperty("settlementDate");
  });

  it("refuses a change that makes the event invalid, with its pointer", () => {
    const events = eventFactories();
    expect(() => events["refund.failed"]({ data: { errorDetails: undefined } })).toThrow(
      new TypeError('events["refund.failed"]: /data/errorDetails is required'),
    );
    expect(() => events["payment.created"]({ data: { amount: { value: -1 } } })).toThrow(
      "/data/amount/value must be at least 0.01",
    );
    // @ts-expect-error the type is the factory's
    expect(() => events["refund.failed"]({ type: "refund.pending" })).toThrow("/type must be");
  });
});

const arbitraries = eventArbitraries(fc);

const sample = <T>(arbitrary: fc.Arbitrary<T>): T[] =>
  fc.sample(arbitrary, { numRuns: 1000, seed: 1 });

describe("eventArbitraries", () => {
  it("has a typed arbitrary, next to its factory, for each type of the catalogue", () => {
    expect([Object.keys(eventFactories()), Object.keys(arbitraries)]).toEqual([types, types]);
    expectTypeOf(arbitraries["refund.failed"]).toEqualTypeOf<
      fc.Arbitrary<EventTypeMap["refund.failed"]>
    >();
  });

  it.each(types)(
    "generates a %s, and its factory makes one, that is valid and handled",
    async (type) => {
      const made = fc.constant(null).map(() => eventFactories()[type]());
      await fc.assert(
        fc.asyncProperty(fc.oneof(arbitraries[type], made), async (event) => {
          expect(validateEvent(event)).toEqual({ ok: true, value: event });
          const seen: unknown[] = [];
          const { receiver } = recordingReceiver();
          receiver.on(type, (got) => void seen.push(got));
          const outcome = await receiver.receive(attemptOf(event));
          expect(outcome).toMatchObject({ kind: "handled", type, key: { id: event.id } });
          expect(seen).toEqual([event]);
        }),
        { numRuns: 20 },
      );
    },
  );

  it("[R-MONEY-EXACT] generates amounts of cents from the smallest to the largest", () => {
    const amounts = sample(arbitraries["payment.succeeded"]).map(({ data }) => data.amount.value);
    expect(Math.min(...amounts)).toBe(0.01);
    expect(Math.max(...amounts)).toBe(99_999_999.99);
    expect(amounts.every((value) => /^\d+(\.\d{1,2})?$/.test(String(value)))).toBe(true);
  });

  it("generates a type's only status, each optional member present and absent, and texts beyond the basic plane", () => {
    const refunds = sample(arbitraries["refund.failed"]).map(({ data }) => data);
    const statuses = refunds.map(({ paymentStatus }) => paymentStatus);
    expect(new Set(statuses)).toEqual(new Set(["TERMINAL_FAILED"]));
    const isNull = refunds.map(({ clientReferenceId }) => clientReferenceId === null);
    expect(new Set(isNull)).toEqual(new Set([true, false]));
    const payments = sample(arbitraries["payment.created"]).map(({ data }) => data);
    for (const member of ["settlementDate", "originalPaymentId", "errorDetails"])
      expect(new Set(payments.map((payment) => member in payment))).toEqual(new Set([true, false]));
    const names = sample(arbitraries["customer.created"]).map(({ data }) => data.firstName);
    expect(names.some((name) => /[\u{10000}-\u{10ffff}]/u.test(name))).toBe(true);
  });
});

describe("expectHandled", () => {
  it("returns the event that a handler handled", async () => {
    const { receiver, handled } = recordingReceiver();
    const key = { tenant: "", id: "evt_refund1" };
    expect(await expectHandled(receiver, genuine)).toEqual({ key, type: "refund.authorized" });
    expect(handled).toEqual(["PAYMENT evt_refund1"]);
  });

  it("throws an AssertionError whose cause is the handler's error", async () => {
    const thrown = new Error("ledger is away");
    const { receiver } = recordingReceiver();
    receiver.on("refund.authorized", () => Promise.reject(thrown));
    const error = await expectHandled(receiver, genuine).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AssertionError);
    expect(error).toMatchObject({
      message: "expected the attempt to be handled, but it failed: CS_HANDLER_FAILED",
      actual: "failed",
      expected: "handled",
      cause: thrown,
    });
  });

  const event = { key: { tenant: "", id: "evt_1" }, type: "refund.failed" };
  const late = { pointer: "/data/paymentId", message: "is required" };
  it.each<[Outcome, RegExp]>([
    [{ kind: "unrouted", ...event }, /no handler is registered for "refund.failed" or its cat/],
    [{ kind: "duplicate", ...event }, /evt_1 is a duplicate/],
    [{ kind: "superseded", ...event }, /evt_1 is superseded/],
    [{ kind: "stored", ...event }, /evt_1 is stored/],
    [{ kind: "in_progress", ...event, retryAfterSeconds: 1 }, /evt_1 is in progress/],
    [{ kind: "rejected", code: "CS_RECEIVER_BUSY" }, /it was rejected: CS_RECEIVER_BUSY$/],
    [
      { kind: "rejected", code: "CS_EVENT_SCHEMA", details: [late, { message: "is late" }] },
      /CS_EVENT_SCHEMA; \/data\/paymentId is required; the body is late$/,
    ],
  ])("throws for the outcome %o", async (outcome, message) => {
    const receiver = { receive: () => Promise.resolve(outcome) };
    await expect(expectHandled(receiver, genuine)).rejects.toThrow(message);
  });
});

describe("fakeClock", () => {
  it("starts with 2026 by default, and moves a receiver past the signature's tolerance only when a test advances it", async () => {
    expect(new Date(fakeClock().now()).toISOString()).toBe("2026-01-01T00:00:00.000Z");
    const { now, advance } = fakeClock(NOON);
    const { send } = recordingReceiver({ now });
    advance(300_000);
    expect([now(), now()]).toEqual([NOON + 300_000, NOON + 300_000]);
    expect((await send(refundAuthorized("evt_1"))).kind).toBe("handled");
    advance(1000);
    expect((await send(refundAuthorized("evt_2"))).kind).toBe("rejected");
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])("refuses to move by %d ms", (ms) => {
    expect(() => fakeClock().advance(ms)).toThrow(TypeError);
    expect(() => fakeClock(ms)).toThrow(TypeError);
  });
});
