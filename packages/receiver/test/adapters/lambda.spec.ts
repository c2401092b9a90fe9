import { createReceiver } from "@countersign/receiver";
import { type LambdaEvent, toLambda } from "@countersign/receiver/lambda";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attemptOf, NOON, recordingReceiver, refundAuthorized, secret } from "../fixtures.ts";

const { headers, body } = attemptOf(refundAuthorized());
const text = Buffer.from(body).toString();
const base64 = Buffer.from(body).toString("base64");
const gateway = { httpMethod: "POST", path: "/webhooks", headers };

describe("a body in base64", () => {
  it("is verified over its bytes", async () => {
    const { receiver, handled } = recordingReceiver();
    const answer = await toLambda(receiver)({ ...gateway, body: base64, isBase64Encoded: true });
    expect(answer.statusCode).toBe(204);
    expect(handled).toEqual(["PAYMENT evt_refund1"]);
  });

  it.each([
    ["a character that is none", `${base64.slice(0, 8)}!${base64.slice(9)}`],
    ["a character more that a decoder skips", `${base64.slice(0, 8)}!${base64.slice(8)}`],
    ["a line break", `${base64.slice(0, 76)}\n${base64.slice(76)}`],
    ["a space at its end", `${base64} `],
    ["the alphabet of URLs", Buffer.from("??>").toString("base64url")],
    ["padding that is missing", Buffer.from("{}").toString("base64").replace("=", "")],
    ["padding in its middle", `${Buffer.from("{}").toString("base64")}${base64}`],
    ["bits after its end", "e31="],
    ["one character", "e"],
  ])("with %s is refused with 400", async (_what, garbled) => {
    const { receiver, outcomes } = recordingReceiver();
    const answer = await toLambda(receiver)({ ...gateway, body: garbled, isBase64Encoded: true });
    expect([answer.statusCode, answer.body]).toEqual([400, '{"code":"CS_BODY_NOT_JSON"}']);
    expect(outcomes).toEqual([{ kind: "rejected", code: "CS_BODY_NOT_JSON" }]);
  });

  it("never stands for the bytes of another text", async () => {
    const { receiver } = recordingReceiver();
    const handler = toLambda(receiver);
    await fc.assert(
      fc.asyncProperty(fc.nat(base64.length - 1), fc.string({ minLength: 1 }), async (at, junk) => {
        const other = base64.slice(0, at) + junk + base64.slice(at);
        const answer = await handler({ ...gateway, body: other, isBase64Encoded: true });
        expect(answer.statusCode).toBeGreaterThanOrEqual(400);
      }),
    );
  });

  it.each([
    [false, "é".repeat(500), 400],
    [false, "é".repeat(501), 413],
    [false, "x".repeat(1001), 413],
    [true, Buffer.alloc(1000).toString("base64"), 400],
    [true, Buffer.alloc(1001).toString("base64"), 413],
    [true, Buffer.alloc(1004).toString("base64"), 413],
  ])("is measured in bytes, as text is (base64: %s)", async (isBase64Encoded, sent, status) => {
    const { receiver } = recordingReceiver({ limits: { bodyBytes: 1000 } });
    const bytes = isBase64Encoded ? Buffer.from(sent, "base64") : Buffer.from(sent);
    const signed = attemptOf(bytes, { id: "evt_refund1" });
    const event = { ...gateway, headers: signed.headers, body: sent, isBase64Encoded };
    expect((await toLambda(receiver)(event)).statusCode).toBe(status);
  });
});

describe("a body as text", () => {
  it("with half a character is refused, under the signature of what it would become, too", async () => {
    const event = JSON.stringify(refundAuthorized()).replace("order-7", "\uFFFD");
    const signed = attemptOf(event, { id: "evt_refund1" });
    const halved = event.replace("\uFFFD", "\uD800");
    const { receiver, handled } = recordingReceiver();
    const answer = await toLambda(receiver)({ ...gateway, headers: signed.headers, body: halved });
    expect(answer.statusCode).toBe(400);
    expect(handled).toEqual([]);
  });

  it.each([{}, { body: null }, { body: "" }])("that is %j is no bytes", async (event) => {
    const { receiver } = recordingReceiver();
    const signed = attemptOf("", { id: "evt_refund1" });
    const answer = await toLambda(receiver)({ ...gateway, headers: signed.headers, ...event });
    expect([answer.statusCode, answer.body]).toEqual([400, '{"code":"CS_BODY_NOT_JSON"}']);
  });
});

describe("an answer", () => {
  const refused: LambdaEvent = { httpMethod: "POST", path: "/", body: text };

  it("has its headers once", async () => {
    const { receiver } = recordingReceiver();
    expect(await toLambda(receiver)({ ...refused, headers: {} })).toEqual({
      statusCode: 401,
      headers: { "content-type": "application/json" },
      body: '{"code":"CS_SIGNATURE_REFUSED"}',
      isBase64Encoded: false,
    });
  });

  it("has them as lists, too, where the event had", async () => {
    const { receiver } = recordingReceiver();
    const answer = await toLambda(receiver)({ ...refused, multiValueHeaders: {} });
    expect(answer.multiValueHeaders).toEqual({ "content-type": ["application/json"] });
  });

  it.each([{}, { requestContext: {} }, { httpMethod: "GET" }, { Records: [] }])(
    "to an event that is no POST (%j) is 405",
    async (event) => {
      const { receiver, outcomes } = recordingReceiver();
      const answer = await toLambda(receiver)(event);
      expect([answer.statusCode, answer.headers]).toEqual([405, { allow: "POST" }]);
      expect(outcomes).toEqual([]);
    },
  );
});

it.each([
  ["1.0", { httpMethod: "POST", path: "/webhooks/t1" }],
  ["2.0", { rawPath: "/webhooks/t1", requestContext: { http: { method: "POST" } } }],
])("the path of an event of payload %s tells tenants apart", async (_version, event) => {
  const paths: unknown[] = [];
  const receiver = createReceiver({
    secrets: ({ path }) => (paths.push(path), { tenant: "t1", secrets: [secret] }),
    fallback: () => undefined,
    now: () => NOON,
  });
  const answer = await toLambda(receiver)({ ...event, headers, body: text });
  expect([answer.statusCode, paths]).toEqual([204, ["/webhooks/t1"]]);
});

it("headers have no prototype: what a sender did not send is not there", async () => {
  const asked: Record<string, unknown>[] = [];
  const receiver = createReceiver({
    secrets: ({ headers: given }) => {
      asked.push(given as Record<string, unknown>);
      return { tenant: "", secrets: [] };
    },
    fallback: () => undefined,
  });
  const event = JSON.parse('{"httpMethod":"POST","headers":{"__proto__":"a"}}') as LambdaEvent;
  Object.assign(event.headers ?? {}, headers);
  await toLambda(receiver)(event);
  expect(asked.map((given) => [given["__proto__"], given["constructor"]])).toEqual([
    ["a", undefined],
  ]);
});
