import { toFetch } from "@countersign/receiver/fetch";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type LambdaEvent, toLambda } from "@countersign/receiver/lambda";
import { attemptOf, genuine, nameOf, recordingReceiver, refundAuthorized } from "../fixtures.ts";
import { mounted } from "./mounted.ts";
import { mounts } from "./mounts.ts";
import { exchange, linesOf, request as bytesOf } from "./wire.ts";

const { headers, body } = genuine;

/** A Web `Request` with a body of bytes or a stream. */
const requestOf = (sent?: Uint8Array | ReadableStream, more: object = {}): Request =>
  new Request("http://localhost/webhooks?x=1", {
    method: "POST",
    headers: { ...headers, ...more },
    ...(sent === undefined ? {} : { body: sent, duplex: "half" }),
    // Node's types have no `duplex`, which its `Request` demands of a stream.
  } as RequestInit);

describe("toFetch", () => {
  it("answers a Request with a Response, also without a body", async () => {
    const { receiver } = recordingReceiver();
    const empty = requestOf(undefined, attemptOf("", { id: "evt_1" }).headers);
    const response = await toFetch(receiver)(empty);
    expect(response).toBeInstanceOf(Response);
    expect([response.status, await response.json()]).toEqual([400, { code: "CS_BODY_NOT_JSON" }]);
  });

  it("assembles a body of any chunks and views, writes to none, and leaves no timer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { receiver } = recordingReceiver({ onIdReuse: "duplicate" });
    const answer = toFetch(receiver);
    const size = fc.integer({ min: 0, max: 400 });
    await fc.assert(
      fc.asyncProperty(fc.array(size, { minLength: 1, maxLength: 12 }), async (sizes) => {
        const total = sizes.reduce((sum, one) => sum + one, 0);
        const spaced = JSON.stringify(refundAuthorized()).padEnd(total);
        const attempt = attemptOf(spaced, { id: "evt_refund1" });
        const sent = Buffer.from(attempt.body);
        let at = 0;
        const stream = new ReadableStream({
          pull(controller) {
            if (at >= sent.length) return controller.close();
            const end = at + (sizes.shift() ?? sent.length);
            const part = sent.subarray(at, end);
            controller.enqueue(new DataView(part.buffer, part.byteOffset, part.length));
            at = end;
          },
        });
        expect((await answer(requestOf(stream, attempt.headers))).status).toBe(204);
        expect(sent.equals(attempt.body)).toBe(true);
        expect(vi.getTimerCount()).toBe(0);
      }),
    );
  });

  it("does not read a body that it refuses by its headers", async () => {
    const { receiver } = recordingReceiver();
    const request = requestOf(new ReadableStream(), { "content-encoding": "gzip" });
    expect((await toFetch(receiver)(request)).status).toBe(415);
    expect(request.bodyUsed).toBe(false);
  });

  it.each([
    [413, "CS_BODY_TOO_LARGE", 1001],
    [408, "CS_BODY_TIMEOUT", 1],
  ])("answers %i %s and cancels the rest, even if that fails", async (status, code, size) => {
    const { receiver } = recordingReceiver({ limits: { bodyBytes: 1000, bodyMs: 30 } });
    let [pulls, cancelled] = [0, false];
    const stream = new ReadableStream({
      pull: (controller) =>
        (pulls += 1) === 1
          ? controller.enqueue(new Uint8Array(size))
          : new Promise(() => undefined),
      cancel: () => {
        cancelled = true;
        return Promise.reject(new Error("not now"));
      },
    });
    const response = await toFetch(receiver)(requestOf(stream));
    expect([response.status, await response.json()]).toEqual([status, { code }]);
    expect(cancelled).toBe(true);
  });

  it("refuses a request that its runtime cannot read with CS_REQUEST_UNREADABLE", async () => {
    const hono = mounts.find(({ name }) => name === "toFetch on Hono");
    if (hono === undefined) throw new Error("no mount on Hono");
    const { port, outcomes } = await mounted(hono);
    const sent = bytesOf(linesOf(headers, body), body, { host: "1".repeat(400) });
    expect((await exchange(port, sent)).status).toBe(400);
    expect(outcomes).toEqual([{ kind: "rejected", code: "CS_REQUEST_UNREADABLE" }]);
  });
});

const text = Buffer.from(body).toString();
const base64 = Buffer.from(body).toString("base64");
const gateway = { httpMethod: "POST", path: "/webhooks", headers };
const isBase64Encoded = true;

it("toLambda answers 400 to a body that is not canonical base64", async () => {
  const { receiver } = recordingReceiver();
  const handler = toLambda(receiver);
  const [braces, at] = [Buffer.from("{}").toString("base64"), 8];
  for (const garbled of [
    `${base64.slice(0, at)}!${base64.slice(at + 1)}`,
    `${base64.slice(0, 76)}\n${base64.slice(76)}`,
    `${base64} `,
    Buffer.from("??>").toString("base64url"),
    braces.replace("=", ""),
    `${braces}${base64}`,
    "e31=",
    "e",
  ]) {
    const answer = await handler({ ...gateway, body: garbled, isBase64Encoded });
    expect([answer.statusCode, answer.body]).toEqual([400, '{"code":"CS_BODY_NOT_JSON"}']);
  }
  expect((await handler({ ...gateway, body: base64, isBase64Encoded })).statusCode).toBe(204);
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

  it("is 405 to an event that is not a POST, or null", async () => {
    const { receiver, outcomes } = recordingReceiver();
    for (const event of [
      {},
      { requestContext: {} },
      { httpMethod: "GET" },
      { Records: [] },
      null as never,
    ]) {
      const answer = await toLambda(receiver)(event);
      expect([answer.statusCode, answer.headers["allow"]]).toEqual([405, "POST"]);
    }
    expect(outcomes.map(nameOf)).toEqual(Array(5).fill("CS_METHOD_NOT_ALLOWED"));
  });
});
