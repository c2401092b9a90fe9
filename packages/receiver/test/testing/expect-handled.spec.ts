import { AssertionError } from "node:assert";
import type { Outcome } from "@countersign/receiver";
import { expectHandled } from "@countersign/receiver/testing";
import { describe, expect, it } from "vitest";
import { attemptOf, customerActivated, recordingReceiver, refundAuthorized } from "../fixtures.ts";

const attempt = attemptOf(refundAuthorized());

/** What `expectHandled` says of a receiver that decides so. */
const complaint = (outcome: Outcome): Promise<unknown> =>
  expectHandled({ receive: () => Promise.resolve(outcome) }, attempt).catch(
    (error: unknown) => error,
  );

describe("expectHandled", () => {
  it("gives the event that a handler handled", async () => {
    const { receiver, handled } = recordingReceiver();
    expect(await expectHandled(receiver, attempt)).toEqual({
      key: { tenant: "", id: "evt_refund1" },
      type: "refund.authorized",
    });
    expect(handled).toEqual(["PAYMENT evt_refund1"]);
  });

  it("throws what the test runner shows, with what the handler threw as its cause", async () => {
    const thrown = new Error("ledger is away");
    const { receiver } = recordingReceiver();
    receiver.on("refund.authorized", () => Promise.reject(thrown));
    const error: unknown = await expectHandled(receiver, attempt).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(AssertionError);
    expect(error).toMatchObject({
      message: "expected the attempt to be handled, but it failed: CS_HANDLER_FAILED",
      actual: "failed",
      expected: "handled",
      cause: thrown,
    });
  });

  it("does not take the fallback for a handler", async () => {
    const { receiver } = recordingReceiver();
    await expect(expectHandled(receiver, attemptOf(customerActivated()))).rejects.toThrow(
      'no handler is registered for "customer.activated" or its category: the fallback ran',
    );
  });

  it("says where a body is wrong", async () => {
    const { receiver } = recordingReceiver();
    const wrong = { ...refundAuthorized(), data: { paymentId: "ref_1" } };
    await expect(expectHandled(receiver, attemptOf(wrong))).rejects.toThrow(
      /it was rejected: CS_EVENT_SCHEMA; \/data\S* is/,
    );
    await expect(expectHandled(receiver, attemptOf("{", { id: "evt_1" }))).rejects.toThrow(
      /it was rejected: CS_BODY_NOT_JSON; the body /,
    );
  });

  const event = { key: { tenant: "", id: "evt_1" }, type: "refund.failed" };
  it.each<[Outcome, RegExp]>([
    [{ kind: "duplicate", ...event }, /evt_1 is a duplicate/],
    [{ kind: "superseded", ...event }, /evt_1 is superseded/],
    [{ kind: "stored", ...event }, /evt_1 is stored/],
    [{ kind: "in_progress", ...event, retryAfterSeconds: 1 }, /evt_1 is in progress/],
    [{ kind: "rejected", code: "CS_RECEIVER_BUSY" }, /it was rejected: CS_RECEIVER_BUSY$/],
  ])("refuses %o", async (outcome, message) => {
    expect(await complaint(outcome)).toMatchObject({
      message: expect.stringMatching(message) as string,
    });
  });
});
