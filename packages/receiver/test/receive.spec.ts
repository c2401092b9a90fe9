import { defaultRespond, type Outcome } from "@countersign/receiver";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  attemptOf,
  customerActivated,
  NOON,
  otherSecret,
  recordingReceiver,
  refundAuthorized,
  secret,
} from "./fixtures.ts";

const statusOf = (outcome: Outcome): number => defaultRespond(outcome).status;

describe("a genuine attempt", () => {
  it("is handled by its category's handler and acknowledged", async () => {
    const { receiver, handled } = recordingReceiver();

    const outcome = await receiver.receive(attemptOf(refundAuthorized()));

    expect(outcome).toEqual({
      kind: "handled",
      key: { tenant: "", id: "evt_refund1" },
      type: "refund.authorized",
    });
    expect(statusOf(outcome)).toBe(204);
    expect(handled).toEqual(["PAYMENT evt_refund1"]);
  });

  it("[R-ROUTE-ONE] runs the type's handler alone where there is one", async () => {
    const { receiver, handled } = recordingReceiver();
    receiver.on("refund.authorized", (event) => void handled.push(`type ${event.id}`));

    await receiver.receive(attemptOf(refundAuthorized()));

    expect(handled).toEqual(["type evt_refund1"]);
  });

  it("[R-ROUTE-ONE] goes to the fallback where nothing is registered for it", async () => {
    const { receiver, handled } = recordingReceiver();

    const outcome = await receiver.receive(attemptOf(customerActivated()));

    expect(outcome.kind).toBe("unrouted");
    expect(handled).toEqual(["fallback evt_customer1"]);
  });

  it("[R-EVENT-UNKNOWN] passes with a type and members that nobody knows yet", async () => {
    const { receiver, handled } = recordingReceiver();
    const future = { ...refundAuthorized("evt_1"), type: "refund.celebrated", colour: "green" };
    const grown = { ...refundAuthorized("evt_2"), colour: "green" };

    expect((await receiver.receive(attemptOf(future))).kind).toBe("unrouted");
    expect((await receiver.receive(attemptOf(grown))).kind).toBe("handled");
    expect(handled).toEqual(["fallback evt_1", "PAYMENT evt_2"]);
  });

  it("[R-VERIFY-ROTATION] is accepted under any of several secrets", async () => {
    const { receiver } = recordingReceiver({ secrets: [otherSecret, secret] });

    for (const [index, secrets] of [[secret], [otherSecret], [secret, otherSecret]].entries()) {
      const event = refundAuthorized(`evt_${String(index)}`);
      expect((await receiver.receive(attemptOf(event, { secrets }))).kind).toBe("handled");
    }
  });

  it("[R-VERIFY-RAW] is judged over its bytes, however they are spelt", async () => {
    const { receiver } = recordingReceiver();
    const spelt = JSON.stringify(refundAuthorized(), null, 3).replace("order-7", "order-\\u0037");

    expect((await receiver.receive(attemptOf(spelt, { id: "evt_refund1" }))).kind).toBe("handled");
  });
});

describe("an attempt that is not genuine", () => {
  const genuine = attemptOf(refundAuthorized());
  const refused: Record<string, { headers: Record<string, string>; body: Uint8Array }> = {
    "[R-VERIFY-UNSIGNED] without a signature": { headers: {}, body: genuine.body },
    "[R-VERIFY-TAMPERED] with another id": {
      headers: { ...genuine.headers, "webhook-id": "evt_refund2" },
      body: genuine.body,
    },
    "[R-VERIFY-TAMPERED] with another timestamp": {
      headers: { ...genuine.headers, "webhook-timestamp": String(NOON / 1000 - 1) },
      body: genuine.body,
    },
    "[R-VERIFY-TAMPERED] with one more space": {
      headers: genuine.headers,
      body: Buffer.concat([genuine.body, Buffer.from(" ")]),
    },
    "[R-VERIFY-WRONG-KEY] signed with another secret": attemptOf(refundAuthorized(), {
      secrets: [otherSecret],
    }),
    "[R-VERIFY-STALE] of 301 seconds ago": attemptOf(refundAuthorized(), { now: NOON - 301_000 }),
    "[R-VERIFY-STALE] of 301 seconds ahead": attemptOf(refundAuthorized(), { now: NOON + 301_000 }),
  };

  it.each(Object.keys(refused))("%s is refused with 401, and no handler runs", async (name) => {
    const { receiver, handled } = recordingReceiver();

    const outcome = await receiver.receive(refused[name] ?? genuine);

    expect(outcome.kind).toBe("rejected");
    expect(statusOf(outcome)).toBe(401);
    expect(handled).toEqual([]);
  });

  it("[R-VERIFY-ALIKE] is answered alike, whatever the reason", async () => {
    const { receiver } = recordingReceiver();
    const answers = await Promise.all(
      Object.values(refused).map(async (attempt) => (await receiver.answer(attempt)).response),
    );

    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.body).toBe('{"code":"CS_SIGNATURE_REFUSED"}');
  });

  it("[R-VERIFY-STALE] is accepted at exactly 300 seconds, either way", async () => {
    const { receiver } = recordingReceiver();
    const old = attemptOf(refundAuthorized("evt_1"), { now: NOON - 300_000 });
    const early = attemptOf(refundAuthorized("evt_2"), { now: NOON + 300_000 });

    expect((await receiver.receive(old)).kind).toBe("handled");
    expect((await receiver.receive(early)).kind).toBe("handled");
  });

  it("[R-VERIFY-TAMPERED] never passes with any one byte changed", async () => {
    const { receiver, handled } = recordingReceiver();
    await fc.assert(
      fc.asyncProperty(
        fc.nat(genuine.body.length - 1),
        fc.integer({ min: 1, max: 255 }),
        async (position, flip) => {
          const body = Buffer.from(genuine.body);
          body[position] = (body[position] ?? 0) ^ flip;
          const outcome = await receiver.receive({ headers: genuine.headers, body });
          expect(statusOf(outcome)).toBe(401);
        },
      ),
    );
    expect(handled).toEqual([]);
  });
});

describe("an authentic body", () => {
  const reject = async (body: string | Uint8Array, id = "evt_refund1"): Promise<Outcome> => {
    const { receiver, handled } = recordingReceiver();
    const outcome = await receiver.receive(attemptOf(body, { id }));
    expect(handled).toEqual([]);
    return outcome;
  };
  const text = JSON.stringify(refundAuthorized());

  it.each([
    ["a duplicate member", text.replace('"id"', '"type":"x","id"')],
    ["a duplicate member in another spelling", text.replace('"id"', '"\\u0069d":"evt_9","id"')],
    ["a member named __proto__", text.replace('"id"', '"__proto__":{},"id"')],
    ["a byte that is no UTF-8", Buffer.concat([Buffer.from(text), Buffer.from([0xff])])],
    ["a byte order mark", `\uFEFF${text}`],
    ["nesting of 17", text.replace('"data":', `"x":${"[".repeat(17)}${"]".repeat(17)},"data":`)],
    ["nothing", ""],
    ["a broken end", text.slice(0, -1)],
  ])("[R-BODY-STRICT] with %s is refused with 400", async (_what, body) => {
    const outcome = await reject(body);
    expect(outcome).toMatchObject({ kind: "rejected", code: "CS_BODY_NOT_JSON" });
    expect(statusOf(outcome)).toBe(400);
  });

  it.each([
    ["is no object", "1", ""],
    ["has no id", JSON.stringify({ ...refundAuthorized(), id: undefined }), "/id"],
    ["has an id with a dot", JSON.stringify(refundAuthorized("evt.1")), "/id"],
    ["has no type", JSON.stringify({ ...refundAuthorized(), type: undefined }), "/type"],
    ["has a type that is a number", JSON.stringify({ ...refundAuthorized(), type: 1 }), "/type"],
    ["has no data", JSON.stringify({ ...refundAuthorized(), data: undefined }), "/data"],
  ])("that %s is refused with 400", async (_what, body, pointer) => {
    const outcome = await reject(body);
    expect(outcome).toMatchObject({ kind: "rejected", code: "CS_EVENT_ENVELOPE" });
    expect(JSON.stringify(outcome)).toContain(`"pointer":"${pointer}`);
    expect(statusOf(outcome)).toBe(400);
  });

  it("[R-EVENT-ID] whose id is not the signed one is refused", async () => {
    const outcome = await reject(text, "evt_other");
    expect(outcome).toMatchObject({ kind: "rejected", code: "CS_EVENT_ID_MISMATCH" });
  });

  it("[R-EVENT-SCHEMA] with wrong data is 422, names the pointer to us alone, and is not recorded", async () => {
    const { receiver, handled } = recordingReceiver();
    const wrong = { ...refundAuthorized(), data: { ...refundAuthorized().data, paymentId: 7 } };

    const { outcome, response } = await receiver.answer(attemptOf(wrong));

    expect(outcome).toMatchObject({ kind: "rejected", code: "CS_EVENT_SCHEMA" });
    expect(JSON.stringify(outcome)).toContain("/data/paymentId");
    expect(response.status).toBe(422);
    expect(response.body).toBe('{"code":"CS_EVENT_SCHEMA","id":"evt_refund1"}');
    // The sender's next attempt, with a body that fits, is no duplicate.
    expect((await receiver.receive(attemptOf(refundAuthorized()))).kind).toBe("handled");
    expect(handled).toEqual(["PAYMENT evt_refund1"]);
  });

  it.each([
    ["refund.failed", { paymentStatus: "PENDING" }],
    ["refund.failed", { paymentStatus: "TERMINAL_FAILED" }],
    ["refund.pending", { paymentStatus: "AUTHORIZED" }],
    ["refund.authorized", { paymentStatus: "SOMETHING_NEW" }],
  ])(
    "[R-EVENT-SCHEMA] of type %s that contradicts its type with %j is 422",
    async (type, change) => {
      const data = { paymentId: "ref_1", clientReferenceId: null, ...change };
      const timestamp = "2026-11-24T05:00:00.000Z";
      const event = { id: "evt_c", type, category: "PAYMENT", timestamp, data };
      expect(await reject(JSON.stringify(event), "evt_c")).toMatchObject({
        kind: "rejected",
        code: "CS_EVENT_SCHEMA",
      });
    },
  );

  it("[R-EVENT-SCHEMA] with an amount finer than a cent is 422, also where a double cannot tell", async () => {
    const payment = (value: string): string =>
      `{"id":"evt_p","type":"payment.succeeded","category":"PAYMENT","timestamp":"2026-11-24T05:00:00.000Z",
        "data":{"paymentId":"pay_1","direction":"DEBIT","customerId":"cus_1",
        "amount":{"currency":"USD","value":${value}},"paymentStatus":"SUCCEEDED","clientReferenceId":null,
        "creationDate":"2026-11-24T05:00:00.000Z","covered":false}}`;
    const { receiver } = recordingReceiver();

    const outcome = await reject(payment("0.1000000000000000055"), "evt_p");
    expect(outcome).toMatchObject({ kind: "rejected", code: "CS_EVENT_SCHEMA" });
    expect((await receiver.receive(attemptOf(payment("0.10"), { id: "evt_p" }))).kind).toBe(
      "handled",
    );
  });
});

describe("bytes that a framework kept", () => {
  it("[R-BODY-SIZE] are refused above the limit, whatever length was announced", async () => {
    const { receiver, handled } = recordingReceiver({ limits: { bodyBytes: 100 } });
    const outcome = await receiver.receive(attemptOf(refundAuthorized()));
    expect(outcome).toMatchObject({ kind: "rejected", code: "CS_BODY_TOO_LARGE" });
    expect(statusOf(outcome)).toBe(413);
    expect(handled).toEqual([]);
  });
});

describe("a request that is refused by its headers", () => {
  const genuine = attemptOf(refundAuthorized());
  const unread = (): never => {
    throw new Error("the body was read");
  };

  it.each([
    ["[R-BODY-ENCODED] Content-Encoding: gzip", { "content-encoding": "gzip" }, 415],
    ["Content-Type: text/plain", { "content-type": "text/plain" }, 415],
    [
      "Content-Type: application/json; charset=latin1",
      { "content-type": "application/json; charset=latin1" },
      415,
    ],
    ["two media types", { "content-type": "application/json, text/plain" }, 415],
    ["[R-BODY-SIZE] an announced length above the limit", { "content-length": "1048577" }, 413],
  ])("%s is answered without reading the body", async (_what, headers, status) => {
    const { receiver } = recordingReceiver();
    const outcome = await receiver.receive({
      headers: { ...genuine.headers, ...headers },
      body: unread,
    });
    expect(statusOf(outcome)).toBe(status);
  });

  it.each([
    "application/json",
    "application/json; charset=utf-8",
    'APPLICATION/JSON;charset="UTF-8"',
    "application/cloudevents+json",
  ])("Content-Type: %s is read", async (type) => {
    const { receiver } = recordingReceiver();
    const attempt = { ...genuine, headers: { ...genuine.headers, "content-type": type } };
    expect((await receiver.receive(attempt)).kind).toBe("handled");
  });
});
