import { AssertionError } from "node:assert";
import type { Outcome } from "@countersign/receiver";
import { eventFactories, expectHandled } from "@countersign/receiver/testing";
import { describe, expect, it } from "vitest";
import { attemptOf, recordingReceiver, refundAuthorized } from "../fixtures.ts";

const attempt = attemptOf(refundAuthorized());

describe("expectHandled", () => {
  it("returns the event that a handler handled", async () => {
    const { receiver, handled } = recordingReceiver();
    const key = { tenant: "", id: "evt_refund1" };
    expect(await expectHandled(receiver, attempt)).toEqual({ key, type: "refund.authorized" });
    expect(handled).toEqual(["PAYMENT evt_refund1"]);
  });

  it("throws an AssertionError whose cause is the handler's error", async () => {
    const thrown = new Error("ledger is away");
    const { receiver } = recordingReceiver();
    receiver.on("refund.authorized", () => Promise.reject(thrown));
    const error = await expectHandled(receiver, attempt).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AssertionError);
    expect(error).toMatchObject({
      message: "expected the attempt to be handled, but it failed: CS_HANDLER_FAILED",
      actual: "failed",
      expected: "handled",
      cause: thrown,
    });
  });

  const unregistered =
    /no handler is registered for "customer.activated" or its category: the fall/;
  const wrong = attemptOf({ ...refundAuthorized(), data: { paymentId: "ref_1" } });
  it.each([
    [
      "that no handler is registered",
      attemptOf(eventFactories()["customer.activated"]()),
      unregistered,
    ],
    ["the pointer of an invalid event", wrong, /CS_EVENT_SCHEMA; \/data\S* is/],
    ["where a body is not JSON", attemptOf("{", { id: "evt_1" }), /CS_BODY_NOT_JSON; the body /],
  ])("reports %s", async (_what, sent, message) => {
    await expect(expectHandled(recordingReceiver().receiver, sent)).rejects.toThrow(message);
  });

  const event = { key: { tenant: "", id: "evt_1" }, type: "refund.failed" };
  it.each<[Outcome, RegExp]>([
    [{ kind: "duplicate", ...event }, /evt_1 is a duplicate/],
    [{ kind: "superseded", ...event }, /evt_1 is superseded/],
    [{ kind: "stored", ...event }, /evt_1 is stored/],
    [{ kind: "in_progress", ...event, retryAfterSeconds: 1 }, /evt_1 is in progress/],
    [{ kind: "rejected", code: "CS_RECEIVER_BUSY" }, /it was rejected: CS_RECEIVER_BUSY$/],
  ])("throws for the outcome %o", async (outcome, message) => {
    const receiver = { receive: () => Promise.resolve(outcome) };
    await expect(expectHandled(receiver, attempt)).rejects.toThrow(message);
  });
});
