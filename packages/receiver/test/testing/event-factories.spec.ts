import { eventFactories, expectHandled } from "@countersign/receiver/testing";
import { type EventTypeMap, standardCatalogue } from "@countersign/schemas";
import { validateEvent } from "@countersign/schemas/writers";
import { describe, expect, expectTypeOf, it } from "vitest";
import { attemptOf, recordingReceiver } from "../fixtures.ts";

const types = Object.keys(standardCatalogue.events) as (keyof EventTypeMap)[];

describe("eventFactories", () => {
  it("has a factory for each type of the catalogue", () => {
    expect(Object.keys(eventFactories())).toEqual(types);
  });

  it.each(types)("makes a %s that is valid and that a receiver handles", async (type) => {
    const event = eventFactories()[type]();
    const { receiver } = recordingReceiver();
    receiver.on("CUSTOMER", () => undefined).on("ACCOUNT", () => undefined);

    expect(validateEvent(event)).toEqual({ ok: true, value: event });
    expect(await expectHandled(receiver, attemptOf(event))).toMatchObject({ type });
  });

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
