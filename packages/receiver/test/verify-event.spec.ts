import { eventFactories, signedAttempt } from "@countersign/receiver/testing";
import { profiles } from "@countersign/schemas/profiles";
import { hmacPresets, schemeOf, standardWebhooks, xSignature } from "@countersign/signatures/stated";
import fc from "fast-check";
import { describe, expect, expectTypeOf, it, onTestFinished, vi } from "vitest";
import {
  createReceiver,
  type EventTypeMap,
  memoryInbox,
  type UnknownEvent,
  verifyEvent,
  type WebhookEvent,
} from "@countersign/receiver";
import {
  attemptOf,
  genuine,
  NOON,
  otherSecret,
  refundAuthorized,
  secret,
  silent,
} from "./fixtures.ts";

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
    ["17 levels", signedBytes(Buffer.from("[".repeat(17) + "]".repeat(17))), "CS_BODY_NOT_JSON"],
    ["a list", signedBytes(Buffer.from("[]")), "CS_EVENT_ENVELOPE"],
    ["another id in the body", signedBytes(another), "CS_EVENT_ID_MISMATCH"],
    ["a status that contradicts the type", contradiction, "CS_EVENT_SCHEMA"],
  ])("refuses %s with its code", (_what, attempt, code) => {
    expect(verifyEvent(attempt, options)).toMatchObject({ ok: false, code });
  });

  it("gives facts: the clock difference, the fault's pointer or offset", () => {
    const late = verifyEvent(genuine, { ...options, now: () => NOON + 400_000 });
    expect(late).toMatchObject({ facts: { clockDifferenceSeconds: -400 } });
    const details = [{ pointer: "/data/paymentStatus" }];
    expect(verifyEvent(contradiction, options)).toMatchObject({ facts: { details } });
    const garbled = verifyEvent(signedBytes(Buffer.from("{]")), options);
    const message = "CS_JSON_SYNTAX at offset 1";
    expect(garbled).toMatchObject({ facts: { details: [{ message }] } });
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

describe("the profile x-signature", () => {
  const secrets = ["a-secret-of-the-merchant-0001"];
  const event = {
    id: "evt_1",
    eventType: "payment.authorized",
    creationTime: "2026-11-24T05:00:00.000Z",
    metadata: { resourceId: "pay_1", paymentType: "CREDIT" },
  };
  const sign = (sent: object) =>
    signedAttempt({ secrets, event: sent, now: NOON, scheme: xSignature() });

  it("gives verifyEvent its scheme and envelope, whose events have no schema", () => {
    const given = { secrets, profile: "x-signature", now: NOON } as const;
    const result = verifyEvent(sign(event), given);
    expect(result).toMatchObject({ ok: true, known: true, secretIndex: 0 });
  });

  it.each(["x-signature", profiles["x-signature"]] as const)(
    "gives a receiver its scheme and envelope only, by its name or as a document",
    async (profile) => {
      const seen: unknown[] = [];
      const receiver = createReceiver({
        ...silent,
        secrets,
        profile,
        inbox: memoryInbox(),
        fallback: (incoming) => void seen.push(incoming),
      }).on("PAYMENT", (body) => void seen.push(body["metadata"]));
      expect((await receiver.receive(sign(event))).kind).toBe("handled");
      await receiver.receive(sign({ ...event, id: "evt_2", eventType: "report.ready" }));
      expect((await receiver.receive(genuine)).kind).toBe("rejected");
      const { creationTime: timestamp, metadata: data } = event;
      expect(seen).toEqual([data, { id: "evt_2", type: "report.ready", timestamp, data }]);
    },
  );
});

describe("a profile document with a nested envelope, a scheme without an id and types without a dot", () => {
  const description = { ...hmacPresets.body, headers: { signature: "x-hub-signature-256" } };
  const entry = { category: "TICKET", resource: "/data/ticket" };
  const profile = {
    ...profiles.standard,
    name: "tickets",
    signature: { scheme: "hmac", toleranceSeconds: 300, description },
    envelope: { id: "/meta/i~1d~0", type: "/meta/type", timestamp: "/meta/at", data: "/data" },
    catalogue: [
      { ...entry, kind: "payment.created", type: "opened", rank: 1 },
      { ...entry, kind: "payment.canceled", type: "closed", rank: 2 },
    ],
  } as const;
  const sign = (id: unknown, type: string, ticket: unknown) => {
    const meta = { "i/d~": id, type, at: "2026-11-24T05:00:00.000Z" };
    const given = { secrets: [secret], scheme: schemeOf(profile.signature), now: NOON };
    return signedAttempt({ ...given, event: { meta, data: { ticket } }, id: "unsigned" });
  };

  it("orders events of a resource by its number, and those without one not at all", async () => {
    vi.spyOn(process, "emitWarning").mockReturnValue();
    onTestFinished(() => void vi.restoreAllMocks());
    const inbox = memoryInbox();
    const receiver = createReceiver({ ...silent, profile, inbox, order: "per-resource" });
    const kinds: string[] = [];
    for (const [type, ticket] of [
      ["closed", 7],
      ["opened", 7],
      ["closed", null],
      ["opened", null],
    ] as const)
      kinds.push((await receiver.receive(sign(`evt_${String(kinds.length)}`, type, ticket))).kind);
    expect(kinds).toEqual(["unrouted", "superseded", "unrouted", "unrouted"]);
  });

  it("names the place of a fault by its escaped pointer", () => {
    const details = [{ pointer: "/meta/i~1d~0", message: "must be an event id" }];
    const result = verifyEvent(sign(1, "opened", 7), { ...options, profile });
    expect(result).toMatchObject({ ok: false, code: "CS_EVENT_ENVELOPE", facts: { details } });
  });
});
