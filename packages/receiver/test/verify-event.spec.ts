import { signedAttempt } from "@countersign/receiver/testing";
import { standardWebhooks, xSignature } from "@countersign/signatures";
import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  type EventTypeMap,
  type UnknownEvent,
  verifyEvent,
  type WebhookEvent,
} from "@countersign/receiver";
import {
  attemptOf,
  customerActivated,
  NOON,
  otherSecret,
  refundAuthorized,
  secret,
} from "./fixtures.ts";

const options = { secrets: [secret], now: NOON };
const scheme = standardWebhooks();

/** Signs any bytes. */
function signedBytes(body: Uint8Array, id = "evt_1") {
  const message = { id, timestamp: Math.floor(NOON / 1000), body };
  return { headers: scheme.sign(message, [secret]), body };
}

describe("verifyEvent", () => {
  it("returns a known event, narrowed by its type, with the index of the secret", () => {
    const event = refundAuthorized();
    const result = verifyEvent(attemptOf(event), { secrets: [otherSecret, secret], now: NOON });

    expect(result).toEqual({ ok: true, known: true, event, secretIndex: 1 });
    if (!result.ok || !result.known) throw new Error("expected a known event");
    expectTypeOf(result.event).toEqualTypeOf<WebhookEvent>();
    if (result.event.type === "refund.failed") {
      expectTypeOf(result.event).toEqualTypeOf<EventTypeMap["refund.failed"]>();
      expectTypeOf(result.event.data.errorDetails.errorCode).toBeString();
    }
  });

  it("returns an event of an unknown type as unknown, without an error", () => {
    const event = { ...customerActivated("evt_9"), type: "customer.archived", data: { a: 1 } };
    const result = verifyEvent(attemptOf(event), options);

    expect(result).toMatchObject({ ok: true, known: false, event: { type: "customer.archived" } });
    if (result.ok && !result.known) expectTypeOf(result.event).toEqualTypeOf<UnknownEvent>();
  });

  it.each([
    [
      "a changed body",
      { ...attemptOf(refundAuthorized()), body: Buffer.from("{}") },
      "CS_SIGNATURE_MISMATCH",
    ],
    ["no headers", { headers: {}, body: Buffer.from("{}") }, "CS_SIGNATURE_HEADER_MISSING"],
    ["a body that is not JSON", signedBytes(Buffer.from("{")), "CS_BODY_NOT_JSON"],
    ["a list", signedBytes(Buffer.from("[]")), "CS_EVENT_ENVELOPE"],
    [
      "another id in the body",
      signedBytes(Buffer.from(JSON.stringify(refundAuthorized("evt_2")))),
      "CS_EVENT_ID_MISMATCH",
    ],
    [
      "a status that contradicts the type",
      attemptOf({ ...refundAuthorized(), type: "refund.pending" }),
      "CS_EVENT_SCHEMA",
    ],
  ])("refuses %s with its code", (_what, attempt, code) => {
    expect(verifyEvent(attempt, options)).toMatchObject({ ok: false, code });
  });

  it("gives facts: the missing header, the clock difference, the fault's pointer", () => {
    const missing = verifyEvent({ headers: {}, body: Buffer.from("{}") }, options);
    expect(missing).toMatchObject({ facts: { header: "webhook-signature" } });

    const late = verifyEvent(attemptOf(refundAuthorized()), {
      ...options,
      now: () => NOON + 400_000,
    });
    expect(late).toMatchObject({
      code: "CS_SIGNATURE_TIMESTAMP_TOO_OLD",
      facts: { clockDifferenceSeconds: -400 },
    });

    const contradiction = attemptOf({ ...refundAuthorized(), type: "refund.pending" });
    expect(verifyEvent(contradiction, options)).toMatchObject({
      facts: { details: [{ pointer: "/data/paymentStatus" }] },
    });
  });

  it("uses the scheme and envelope of another profile, whose events have no schema", () => {
    const text = "a-text-that-is-long-enough-to-be-a-key";
    const event = {
      id: "evt_7",
      eventType: "payment.authorized",
      creationTime: "2026-11-24T05:00:00.000Z",
      metadata: { resourceId: "pay_1" },
    };
    const attempt = signedAttempt({ secrets: [text], event, now: NOON, scheme: xSignature() });
    const given = { secrets: [text], profile: "x-signature", now: NOON } as const;
    expect(verifyEvent(attempt, given)).toMatchObject({ ok: true, known: true, secretIndex: 0 });
  });

  it("throws a TypeError for a mistake of the caller, and only for one", () => {
    const attempt = attemptOf(refundAuthorized());

    expect(() => verifyEvent(attempt, { secrets: [] })).toThrow(TypeError);
    expect(() => verifyEvent(attempt, { secrets: [undefined] })).toThrow(/environment variable/);
    expect(() => verifyEvent(attempt, { ...options, profile: "none" as "standard" })).toThrow(
      /unknown profile/,
    );
    expect(() => verifyEvent({ ...attempt, body: "{}" as never }, options)).toThrow(/raw bytes/);
    fc.assert(
      fc.property(
        fc.uint8Array(),
        fc.json(),
        fc.dictionary(fc.string(), fc.string()),
        (bytes, text, headers) => {
          for (const body of [bytes, Buffer.from(text)]) {
            expect(verifyEvent({ headers, body }, options).ok).toBe(false);
            expect(() => verifyEvent(signedBytes(body), options)).not.toThrow();
          }
        },
      ),
    );
  });
});
