import { eventFactories, signedAttempt } from "@countersign/receiver/testing";
import { standardWebhooks, xSignature } from "@countersign/signatures";
import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  type EventTypeMap,
  type UnknownEvent,
  verifyEvent,
  type WebhookEvent,
} from "@countersign/receiver";
import { attemptOf, genuine, NOON, otherSecret, refundAuthorized, secret } from "./fixtures.ts";

const options = { secrets: [secret], now: NOON };
const scheme = standardWebhooks();

const contradiction = attemptOf({ ...refundAuthorized(), type: "refund.pending" });

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
    const event = {
      ...eventFactories()["customer.activated"](),
      type: "customer.archived",
      data: { a: 1 },
    };
    const result = verifyEvent(attemptOf(event), options);

    expect(result).toMatchObject({ ok: true, known: false, event: { type: "customer.archived" } });
    if (result.ok && !result.known) expectTypeOf(result.event).toEqualTypeOf<UnknownEvent>();
  });

  const another = Buffer.from(JSON.stringify(refundAuthorized("evt_2")));
  it.each([
    ["a changed body", { ...genuine, body: Buffer.from("{}") }, "CS_SIGNATURE_MISMATCH"],
    ["no headers", { headers: {}, body: Buffer.from("{}") }, "CS_SIGNATURE_HEADER_MISSING"],
    ["a body that is not JSON", signedBytes(Buffer.from("{")), "CS_BODY_NOT_JSON"],
    ["a list", signedBytes(Buffer.from("[]")), "CS_EVENT_ENVELOPE"],
    ["another id in the body", signedBytes(another), "CS_EVENT_ID_MISMATCH"],
    ["a status that contradicts the type", contradiction, "CS_EVENT_SCHEMA"],
  ])("refuses %s with its code", (_what, attempt, code) => {
    expect(verifyEvent(attempt, options)).toMatchObject({ ok: false, code });
  });

  it("gives facts: the clock difference, the fault's pointer", () => {
    const late = verifyEvent(genuine, { ...options, now: () => NOON + 400_000 });
    expect(late).toMatchObject({ facts: { clockDifferenceSeconds: -400 } });
    const details = [{ pointer: "/data/paymentStatus" }];
    expect(verifyEvent(contradiction, options)).toMatchObject({ facts: { details } });
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
    const broken = { ...genuine, body: "{}" as never };
    const none = { ...options, profile: "none" as "standard" };
    expect(() => verifyEvent(genuine, { secrets: [] })).toThrow(TypeError);
    expect(() => verifyEvent(genuine, { secrets: [undefined] })).toThrow(/environment variable/);
    expect(() => verifyEvent(genuine, none)).toThrow(/unknown profile/);
    expect(() => verifyEvent(broken, options)).toThrow(/raw bytes/);
    const bodies = fc.oneof(
      fc.uint8Array(),
      fc.json().map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(bodies, fc.dictionary(fc.string(), fc.string()), (body, headers) => {
        expect(verifyEvent({ headers, body }, options).ok).toBe(false);
        expect(() => verifyEvent(signedBytes(body), options)).not.toThrow();
      }),
    );
  });
});
