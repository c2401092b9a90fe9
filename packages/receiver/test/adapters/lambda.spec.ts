import { type LambdaEvent, toLambda } from "@countersign/receiver/lambda";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attemptOf, recordingReceiver, refundAuthorized } from "../fixtures.ts";

const { headers, body } = attemptOf(refundAuthorized());
const text = Buffer.from(body).toString();
const base64 = Buffer.from(body).toString("base64");
const gateway = { httpMethod: "POST", path: "/webhooks", headers };
const isBase64Encoded = true;

describe("toLambda with a body in base64", () => {
  it("answers 400 to text that is not canonical base64", async () => {
    const [braces, at] = [Buffer.from("{}").toString("base64"), 8];
    for (const garbled of [
      `${base64.slice(0, at)}!${base64.slice(at + 1)}`,
      `${base64.slice(0, at)}!${base64.slice(at)}`,
      `${base64.slice(0, 76)}\n${base64.slice(76)}`,
      `${base64} `,
      Buffer.from("??>").toString("base64url"),
      braces.replace("=", ""),
      `${braces}${base64}`,
      "e31=",
      "e",
    ]) {
      const { receiver, outcomes } = recordingReceiver();
      const answer = await toLambda(receiver)({ ...gateway, body: garbled, isBase64Encoded });
      expect([answer.statusCode, answer.body]).toEqual([400, '{"code":"CS_BODY_NOT_JSON"}']);
      expect(outcomes).toEqual([{ kind: "rejected", code: "CS_BODY_NOT_JSON" }]);
    }
  });

  it("accepts no other text for the same bytes", async () => {
    const { receiver } = recordingReceiver();
    const handler = toLambda(receiver);
    await fc.assert(
      fc.asyncProperty(fc.nat(base64.length - 1), fc.string({ minLength: 1 }), async (at, junk) => {
        const other = base64.slice(0, at) + junk + base64.slice(at);
        const answer = await handler({ ...gateway, body: other, isBase64Encoded });
        expect(answer.statusCode).toBeGreaterThanOrEqual(400);
      }),
    );
    expect((await handler({ ...gateway, body: base64, isBase64Encoded })).statusCode).toBe(204);
  });

  it.each([
    ["text", 1000, "é".repeat(500), 400],
    ["text", 1002, "é".repeat(501), 413],
    ["base64", 1000, Buffer.alloc(1000).toString("base64"), 400],
    ["base64", 1001, Buffer.alloc(1001).toString("base64"), 413],
  ])("measures %s in its bytes: %i of at most 1,000", async (kind, _size, sent, status) => {
    const { receiver } = recordingReceiver({ limits: { bodyBytes: 1000 } });
    const encoded = kind === "base64";
    const signed = attemptOf(Buffer.from(sent, encoded ? "base64" : "utf8"), { id: "evt_refund1" });
    const event = { ...gateway, headers: signed.headers, body: sent, isBase64Encoded: encoded };
    expect((await toLambda(receiver)(event)).statusCode).toBe(status);
  });
});

describe("toLambda with a body as text", () => {
  it("refuses half a character, even under the signature of its replacement", async () => {
    const event = JSON.stringify(refundAuthorized()).replace("order-7", "\uFFFD");
    const signed = attemptOf(event, { id: "evt_refund1" });
    const halved = event.replace("\uFFFD", "\uD800");
    const { receiver, handled } = recordingReceiver();
    const answer = await toLambda(receiver)({ ...gateway, headers: signed.headers, body: halved });
    expect(answer.statusCode).toBe(400);
    expect(handled).toEqual([]);
  });

  it("reads no text, null and an empty text as an empty body", async () => {
    const { receiver } = recordingReceiver();
    const signed = attemptOf("", { id: "evt_refund1" });
    for (const event of [{}, { body: null }, { body: "" }]) {
      const answer = await toLambda(receiver)({ ...gateway, headers: signed.headers, ...event });
      expect([answer.statusCode, answer.body]).toEqual([400, '{"code":"CS_BODY_NOT_JSON"}']);
    }
  });
});

describe("toLambda's answer", () => {
  const refused: LambdaEvent = { httpMethod: "POST", path: "/", body: text };

  it("has its headers as lists only if the event had", async () => {
    const { receiver } = recordingReceiver();
    expect(await toLambda(receiver)({ ...refused, headers: {} })).toEqual({
      statusCode: 401,
      headers: { "content-type": "application/json" },
      body: '{"code":"CS_SIGNATURE_REFUSED"}',
      isBase64Encoded: false,
    });
    const answer = await toLambda(receiver)({ ...refused, multiValueHeaders: {} });
    expect(answer.multiValueHeaders).toEqual({ "content-type": ["application/json"] });
  });

  it("is 405 to an event that is not a POST", async () => {
    const { receiver, outcomes } = recordingReceiver();
    for (const event of [{}, { requestContext: {} }, { httpMethod: "GET" }, { Records: [] }]) {
      const answer = await toLambda(receiver)(event);
      expect([answer.statusCode, answer.headers]).toEqual([405, { allow: "POST" }]);
    }
    expect(outcomes).toEqual([]);
  });
});
