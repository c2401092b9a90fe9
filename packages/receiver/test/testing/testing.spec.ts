import { AssertionError } from "node:assert";
import { eventFactories, expectHandled } from "@countersign/receiver/testing";
import { type EventTypeMap, standardCatalogue } from "@countersign/schemas";
import { validateEvent } from "@countersign/schemas/writers";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { Outcome } from "@countersign/receiver";
import { attemptOf, genuine, recordingReceiver } from "../fixtures.ts";

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

it.each(types)("eventFactories makes a %s that is valid and handled", async (type) => {
  const event = eventFactories()[type]();
  expect(validateEvent(event)).toEqual({ ok: true, value: event });
  const { receiver } = recordingReceiver();
  const seen: unknown[] = [];
  receiver.on(type, (got) => void seen.push(got));
  expect(await receiver.receive(attemptOf(event))).toMatchObject({ kind: "handled", type });
  expect(seen).toEqual([event]);
});

describe("expectHandled", () => {
  it("returns the event that a handler handled", async () => {
    const { receiver, handled } = recordingReceiver();
    const key = { provider: "reference", tenant: "", id: "evt_refund1" };
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
      message:
        "expected the attempt to be handled, but it is failed: evt_refund1; CS_HANDLER_FAILED",
      actual: "failed",
      expected: "handled",
      cause: thrown,
    });
  });

  const event = { key: { provider: "reference", tenant: "", id: "evt_1" }, type: "refund.failed" };
  const late = { pointer: "/data/paymentId", message: "is required" };
  it.each<[Outcome, RegExp]>([
    [{ kind: "unrouted", ...event }, /unrouted: evt_1; no handler .* "refund.failed" or its cat/],
    [{ kind: "superseded", ...event }, /it is superseded: evt_1$/],
    [{ kind: "batch", outcomes: [{ kind: "stored", ...event }] }, /a batch: it is stored: evt_1$/],
    [
      { kind: "rejected", code: "CS_EVENT_SCHEMA", details: [late, { message: "is late" }] },
      /it is rejected: CS_EVENT_SCHEMA; \/data\/paymentId is required; the body is late$/,
    ],
  ])("throws for the outcome %o", async (outcome, message) => {
    const receiver = { receive: () => Promise.resolve(outcome) };
    await expect(expectHandled(receiver, genuine)).rejects.toThrow(message);
  });
});
