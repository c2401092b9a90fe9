import { eventFactories, signedAttempt } from "@countersign/receiver/testing";
import {
  line,
  type ProviderDocument,
  reference,
  xSignature,
} from "@countersign/receiver/providers";
import { standardWebhooks } from "@countersign/signatures";
import fc from "fast-check";
import { describe, expect, expectTypeOf, it, onTestFinished, vi } from "vitest";
import {
  createReceiver,
  type EventTypeMap,
  memoryInbox,
  type UnknownEvent,
  type VerifiedEvent,
  verifyEvent,
  verifyEvents,
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

const options = { provider: reference, secrets: [secret], now: NOON };
const scheme = standardWebhooks();

type Verified = VerifiedEvent<EventTypeMap> & { ok: true };

const contradiction = attemptOf({ ...refundAuthorized(), type: "refund.pending" });

function signedBytes(body: Uint8Array, id = "evt_1") {
  const message = { id, timestamp: Math.floor(NOON / 1000), body };
  return { headers: scheme.sign(message, [secret]).headers, body };
}

describe("verifyEvent", () => {
  it("returns a known event, narrowed by its type, with the index of the secret", () => {
    const event = refundAuthorized();
    const result = verifyEvent(attemptOf(event), {
      ...options,
      secrets: [otherSecret, secret],
    });

    expect(result).toMatchObject({ ok: true, known: true, event, secretIndex: 1 });
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

  it.each([
    ["a changed body", { ...genuine, body: Buffer.from("{}") }, "CS_SIGNATURE_MISMATCH"],
    ["no headers", { headers: {}, body: Buffer.from("{}") }, "CS_SIGNATURE_HEADER_MISSING"],
    ["a body that is not JSON", signedBytes(Buffer.from("{")), "CS_BODY_NOT_JSON"],
    ["17 levels", signedBytes(Buffer.from("[".repeat(17) + "]".repeat(17))), "CS_BODY_NOT_JSON"],
    ["a list", signedBytes(Buffer.from("[]")), "CS_EVENT_ENVELOPE"],
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
    const batched = { ...options, provider: line };
    for (const [attempt, given, message] of [
      [
        genuine,
        { ...options, secrets: [] },
        /^CS_SECRET_INVALID: verifyEvent: missing secret: .* is empty\. Reference .* shows it at: /,
      ],
      [genuine, { ...options, secrets: [undefined] }, /^CS_SECRET_INVALID: .*environment variable/],
      [
        genuine,
        { ...options, provider: undefined as never },
        /^CS_PROVIDER_INVALID: verifyEvent: "provider" must be a document/,
      ],
      [broken, options, /^CS_OPTION_INVALID: verifyEvent: .*raw bytes/],
      [genuine, batched, /^CS_OPTION_CONFLICT: verifyEvent: .* use verifyEvents/],
    ] as const) {
      expect(() => verifyEvent(attempt, given)).toThrow(TypeError);
      expect(() => verifyEvent(attempt, given)).toThrow(message);
    }
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

describe("verifyEvents", () => {
  const items = [
    { webhookEventId: "one", type: "message" },
    { webhookEventId: "two", type: "follow" },
  ];
  const batch = (events: object[]) =>
    signedAttempt({
      provider: line,
      secrets: [secret],
      now: NOON,
      event: { destination: "U", events },
    });
  const ofLine = { ...options, provider: line, secrets: [otherSecret, { secret, label: "new" }] };

  it("returns each event of a batch with its facts, and the label of the secret", () => {
    expect(verifyEvents(batch(items), ofLine)).toMatchObject({
      ok: true,
      secretIndex: 1,
      secretLabel: "new",
      events: [
        { known: true, event: items[0], facts: { id: "one", type: "message" } },
        { known: true, event: items[1], facts: { id: "two", type: "follow" } },
      ],
    });
    expect(verifyEvents(batch([]), ofLine)).toMatchObject({ ok: true, events: [] });
  });

  it("returns the one event of other providers as verifyEvent does", () => {
    const { ok, secretIndex, ...event } = verifyEvent(genuine, options) as Verified;
    expect(verifyEvents(genuine, options)).toEqual({ ok, secretIndex, events: [event] });
  });

  it("refuses a batch for one of its events", () => {
    const broken = verifyEvents(batch([...items, { type: "message" }]), ofLine);
    expect(broken).toMatchObject({ ok: false, code: "CS_EVENT_ENVELOPE" });
  });
});

describe("the provider x-signature", () => {
  const secrets = ["a-secret-of-the-merchant-0001"];
  const event = {
    id: "evt_1",
    eventType: "payment.authorized",
    creationTime: "2026-11-24T05:00:00.000Z",
    metadata: { resourceId: "pay_1", paymentType: "CREDIT" },
  };
  const sign = (sent: object) =>
    signedAttempt({ provider: xSignature, secrets, event: sent, now: NOON });

  it("gives verifyEvent its scheme and places, whose events have no schema", () => {
    const result = verifyEvent(sign(event), { provider: xSignature, secrets, now: NOON });
    const facts = {
      provider: "x-signature",
      id: "evt_1",
      type: "payment.authorized",
      category: "PAYMENT",
      time: Date.UTC(2026, 10, 24, 5),
      signed: { id: true, type: true, time: true, data: true },
    };
    expect(result).toMatchObject({ ok: true, known: true, event, facts, secretIndex: 0 });
  });

  it("gives a receiver its scheme and places only", async () => {
    const seen: unknown[] = [];
    const receiver = createReceiver({
      ...silent,
      provider: xSignature,
      secrets,
      inbox: memoryInbox(),
      fallback: (incoming) => void seen.push(incoming),
    }).on("PAYMENT", (body) => void seen.push(body["metadata"]));
    expect((await receiver.receive(sign(event))).kind).toBe("handled");
    await receiver.receive(sign({ ...event, id: "evt_2", eventType: "report.ready" }));
    expect((await receiver.receive(genuine)).kind).toBe("rejected");
    const { metadata: data } = event;
    expect(seen).toEqual([
      data,
      expect.objectContaining({ id: "evt_2", type: "report.ready", data }),
    ]);
  });
});

describe("a document with nested members, a scheme without an id and types without a dot", () => {
  const entry = { category: "TICKET", resource: "body:/data/ticket" };
  const provider: ProviderDocument = {
    name: "tickets",
    title: "Tickets",
    documentation: "https://example.com",
    signature: {
      algorithm: "hmac-sha256",
      encoding: "hex",
      carrier: [{ at: "header:X-Hub-Signature-256" }],
      signed: ["body"],
    },
    event: {
      id: "body:/meta/i~1d~0",
      type: "body:/meta/type",
      time: { at: "body:/meta/at", unit: "iso" },
      data: "body:/data",
    },
    catalogue: [
      { ...entry, type: "opened", rank: 1 },
      { ...entry, type: "closed", rank: 2 },
    ],
  };
  const sign = (id: unknown, type: string, ticket: unknown) => {
    const meta = { "i/d~": id, type, at: "2026-11-24T05:00:00.000Z" };
    return signedAttempt({
      provider,
      secrets: [secret],
      now: NOON,
      event: { meta, data: { ticket } },
    });
  };

  it("orders events of a resource by its number, and those without one not at all", async () => {
    vi.spyOn(process, "emitWarning").mockReturnValue();
    onTestFinished(() => void vi.restoreAllMocks());
    const inbox = memoryInbox();
    const receiver = createReceiver({ ...silent, provider, inbox, order: "per-resource" });
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
    const message = "must be an id of printable ASCII without spaces";
    const details = [{ pointer: "/meta/i~1d~0", message }];
    const result = verifyEvent(sign("a b", "opened", 7), { ...options, provider });
    expect(result).toMatchObject({ ok: false, code: "CS_EVENT_ENVELOPE", facts: { details } });
  });
});
