import { createReceiver, defaultRespond, memoryInbox } from "@countersign/receiver";
import { eventFactories } from "@countersign/receiver/testing";
import { describe, expect, it } from "vitest";
import {
  attemptOf,
  nameOf,
  NOON,
  otherSecret,
  recordingReceiver,
  refundAttempt,
  refundAuthorized,
  secret,
  silent,
} from "./fixtures.ts";
import { acceptedMediaTypes, publishedBypasses, refusedMediaTypes } from "./media-types.ts";

const event = refundAuthorized();
const genuine = attemptOf(event);

/** The outcome of an attempt, and what ran. */
async function receive(
  attempt: Parameters<ReturnType<typeof recordingReceiver>["receiver"]["receive"]>[0],
) {
  const { receiver, handled } = recordingReceiver();
  return { outcome: await receiver.receive(attempt), handled };
}

describe("a genuine attempt", () => {
  it("[R-ROUTE-ONE] runs its type's handler, else its category's, else the fallback, and is answered 204", async () => {
    const { receiver, handled } = recordingReceiver();
    receiver.on("refund.pending", ({ id }) => void handled.push(`type ${id}`));
    const events = eventFactories();
    const outcomes = [];
    for (const type of ["refund.pending", "refund.authorized", "customer.activated"] as const)
      outcomes.push(await receiver.receive(attemptOf(events[type]())));
    const key = { provider: "reference", tenant: "", id: "evt_2" };
    expect(outcomes[1]).toEqual({ kind: "handled", key, type: "refund.authorized" });
    expect(outcomes.map(({ kind }) => kind)).toEqual(["handled", "handled", "unrouted"]);
    expect(outcomes.map((outcome) => defaultRespond(outcome).status)).toEqual([204, 204, 204]);
    expect(handled).toEqual(["type evt_1", "PAYMENT evt_2", "fallback evt_3"]);
  });

  it("[R-EVENT-UNKNOWN] passes with a type and members that are not in the catalogue", async () => {
    const { receiver, handled } = recordingReceiver();
    const type = "refund.celebrated".padEnd(256, "!");
    const future = { ...refundAuthorized("evt_1"), type, colour: "green" };
    const grown = { ...refundAuthorized("evt_2"), colour: "green" };
    for (const sent of [future, grown])
      expect((await receiver.receive(attemptOf(sent))).kind).toBe("handled");
    expect(handled).toEqual(["PAYMENT evt_1", "PAYMENT evt_2"]);
  });

  it("[R-EVENT-UNKNOWN] says in its context whether the catalogue has its type, to the fallback and to a category's handler", async () => {
    const known: [string, boolean][] = [];
    const note = ({ type }: { type: string }, { isKnownType }: { isKnownType: boolean }) =>
      void known.push([type, isKnownType]);
    const receiver = createReceiver({ ...silent, inbox: memoryInbox(), fallback: note }).on(
      "PAYMENT",
      note,
    );
    const events = eventFactories();
    const activated = events["customer.activated"]();
    for (const sent of [
      refundAuthorized(),
      { ...refundAuthorized("evt_new"), type: "refund.celebrated" },
      activated,
      { ...activated, id: "evt_newer", type: "customer.celebrated" },
    ])
      await receiver.receive(attemptOf(sent));
    expect(known).toEqual([
      ["refund.authorized", true],
      ["refund.celebrated", false],
      ["customer.activated", true],
      ["customer.celebrated", false],
    ]);
  });

  it("[R-VERIFY-ROTATION] is accepted under any of several secrets, and the facts name it, its label and the answer's status", async () => {
    const facts: unknown[] = [];
    const { receiver } = recordingReceiver({
      secrets: [otherSecret, { secret, label: "new" }],
      onOutcome: (_outcome, { secretIndex, secretLabel, status }) =>
        void facts.push([secretIndex, secretLabel, status]),
    });
    const third = `${secret.slice(0, -4)}AAAA`;
    for (const [index, secrets] of [
      [secret],
      [otherSecret],
      [third, otherSecret],
      [third],
    ].entries())
      await receiver.answer(refundAttempt(`evt_${String(index)}`, { secrets }));
    await receiver.receive(refundAttempt("evt_received"));
    expect(facts).toEqual([
      [1, "new", 204],
      [0, undefined, 204],
      [0, undefined, 204],
      [undefined, undefined, 401],
      [1, "new", undefined],
    ]);
  });

  it("[R-VERIFY-STALE] A11: is handled up to 300 seconds from the receiver's clock, and refused at 301", async () => {
    const { receiver, outcomes } = recordingReceiver();
    for (const seconds of [-300, 300, -301, 301]) {
      const sent = refundAuthorized(`evt_${String(seconds)}`);
      await receiver.receive(attemptOf(sent, { now: NOON + seconds * 1000 }));
    }
    const expected = ["handled", "handled", "rejected", "rejected"];
    expect(outcomes.map(({ kind }) => kind)).toEqual(expected);
  });

  it("T-28 [R-VERIFY-RAW] is verified over its bytes, whatever their spelling, and refused if it was serialized again", async () => {
    const spelt = JSON.stringify(event, null, 3).replace("order-7", "order-\\u0037");
    const attempt = attemptOf(spelt, { id: event.id });
    expect((await receive(attempt)).outcome.kind).toBe("handled");
    const again = { ...attempt, body: Buffer.from(JSON.stringify(event)) };
    expect(nameOf((await receive(again)).outcome)).toBe("CS_SIGNATURE_MISMATCH");
  });
});

describe("an authentic body", () => {
  it.each([
    ["is not an object", 1, "type", "an event type"],
    ["has no id", { ...event, id: undefined }, "id", "the signed id"],
    ["has an id with a dot", refundAuthorized("evt.1"), "id", "the signed id"],
    ["has no type", { ...event, type: undefined }, "type", "an event type"],
    ["has an empty type", { ...event, type: "" }, "type", "an event type"],
    ["has a type of 257 letters", { ...event, type: "x".repeat(257) }, "type", "an event type"],
  ])("is refused with 400 and a pointer if it %s", async (_what, body, member, expected) => {
    const attempt = attemptOf(JSON.stringify(body), { id: event.id });
    const { outcome, handled } = await receive(attempt);
    const details = [{ pointer: `/${member}`, message: `must be ${expected}` }];
    expect(outcome).toMatchObject({ kind: "rejected", code: "CS_EVENT_ENVELOPE", details });
    expect(defaultRespond(outcome).status).toBe(400);
    expect(handled).toEqual([]);
  });

  it("[R-EVENT-ID] is refused if its id is not the signed one", async () => {
    const { outcome, handled } = await receive(attemptOf(JSON.stringify(event), { id: "evt_x" }));
    const details = [{ pointer: "/id", message: "must be the signed id" }];
    expect(outcome).toMatchObject({ kind: "rejected", code: "CS_EVENT_ENVELOPE", details });
    expect(handled).toEqual([]);
  });

  it.each([
    ["a time that is a number", { ...event, timestamp: 1 }, "/timestamp"],
    ["no data", { ...event, data: undefined }, "/data"],
  ])("[R-EVENT-SCHEMA] is refused with its pointer if it has %s", async (_what, body, pointer) => {
    const { outcome } = await receive(attemptOf(JSON.stringify(body), { id: event.id }));
    expect(outcome).toMatchObject({ code: "CS_EVENT_SCHEMA", details: [{ pointer }] });
  });

  it("[R-EVENT-SCHEMA] with wrong data gets 422 without the pointer, and is not recorded", async () => {
    const { receiver, handled } = recordingReceiver();
    const wrong = { ...event, data: { ...event.data, paymentId: 7 } };
    const { outcome, response } = await receiver.answer(attemptOf(wrong));
    expect(outcome).toMatchObject({ kind: "rejected", code: "CS_EVENT_SCHEMA" });
    expect(JSON.stringify(outcome)).toContain("/data/paymentId");
    expect(response.status).toBe(422);
    expect(response.body).toBe('{"code":"CS_EVENT_SCHEMA","id":"evt_refund1"}');
    // The sender's next attempt, with a valid body, is not a duplicate.
    expect((await receiver.receive(genuine)).kind).toBe("handled");
    expect(handled).toEqual(["PAYMENT evt_refund1"]);
  });

  it.each([
    ["refund.failed", { paymentStatus: "PENDING" }],
    ["refund.failed", { paymentStatus: "TERMINAL_FAILED" }],
    ["refund.pending", { paymentStatus: "AUTHORIZED" }],
    ["refund.authorized", { paymentStatus: "SOMETHING_NEW" }],
  ])("[R-EVENT-SCHEMA] is refused if it contradicts its type %s with %j", async (type, change) => {
    const data = { paymentId: "ref_1", clientReferenceId: null, ...change };
    const { outcome } = await receive(attemptOf({ ...event, type, data }));
    expect(outcome).toMatchObject({ kind: "rejected", code: "CS_EVENT_SCHEMA" });
  });
});

describe("a request that is refused by its headers", () => {
  const unread = (): never => {
    throw new Error("the body was read");
  };
  const statusOf = async (headers: Record<string, string>): Promise<number> => {
    const attempt = { headers: { ...genuine.headers, ...headers }, body: unread };
    return defaultRespond((await receive(attempt)).outcome).status;
  };

  it("[R-BODY-SIZE] gets 413 for an announced length above the limit, without being read", async () => {
    expect(await statusOf({ "content-length": "1048577" })).toBe(413);
    const allowed = { ...genuine.headers, "Content-Length": "1048576" };
    expect((await receive({ ...genuine, headers: allowed })).outcome.kind).toBe("handled");
  });

  it("gets 401 for an invalid header of its signature, without being read", async () => {
    expect(await statusOf({ "webhook-signature": "" })).toBe(401);
  });

  it("gets 415 for a header that is sent twice, without being read", async () => {
    for (const headers of [
      { "content-type": ["application/json", "application/json"] },
      { "content-type": "application/json", "Content-Type": "application/json" },
      { "content-encoding": ["identity", "identity"] },
    ]) {
      const { outcome } = await receive({
        headers: { ...genuine.headers, ...headers },
        body: unread,
      });
      expect(defaultRespond(outcome).status).toBe(415);
    }
    const absent = {
      ...genuine.headers,
      "content-type": undefined,
      "content-encoding": "IDENTITY",
    };
    expect((await receive({ ...genuine, headers: absent })).outcome.kind).toBe("handled");
  });

  it("A18: [R-BODY-ENCODED] [R-BODY-IDENTITY] gets 415 for every Content-Encoding, without being read", async () => {
    for (const encoding of ["gzip", "deflate", "br", "zstd", "identity, gzip", "GZIP", "x"])
      expect([encoding, await statusOf({ "content-encoding": encoding })]).toEqual([encoding, 415]);
  });

  it("A22: [R-BODY-MEDIA] gets 415 for a Content-Type that is not plainly JSON in UTF-8, without being read", async () => {
    for (const type of [...Object.values(publishedBypasses), ...refusedMediaTypes])
      expect([type, await statusOf({ "content-type": type })]).toEqual([type, 415]);
  });

  it.each(acceptedMediaTypes)("A22: is validated as JSON with Content-Type: %s", async (type) => {
    const wrong = attemptOf({ ...event, data: { paymentId: 7 } });
    const kinds: unknown[] = [];
    for (const { headers, body } of [genuine, wrong]) {
      const { outcome } = await receive({ headers: { ...headers, "content-type": type }, body });
      kinds.push(nameOf(outcome));
    }
    expect(kinds).toEqual(["handled", "CS_EVENT_SCHEMA"]);
  });
});
