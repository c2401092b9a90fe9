import { Readable } from "node:stream";
import { request } from "undici";
import { afterAll, describe, expect, it } from "vitest";
import { acceptsJson, mediaTypeOf } from "../../src/http/body.ts";
import { openWatched, refundOrder, subscription, type CallOptions } from "../open-service.ts";
import { refusal } from "../validated.ts";

// One service for all: what is refused leaves nothing behind that another test could meet.
const { service, merchant, call, pay, addMerchant } = await openWatched({ atEnd: afterAll });
const paymentId = await pay({ requestKey: "used", cents: 1n });
const { token: coreOnly } = await addMerchant(["core"]);
const customer = "/v1/customers/cus_1";

describe("the checks of a call", () => {
  it("run in one order: path, method, token, scope, accepted type, media type, size, JSON, fields, key, payment, business", async () => {
    const plain = {
      text: `{"a":"${"x".repeat(70_000)}"}`,
      headers: { "content-type": "text/plain" },
    };
    const html = { ...plain, headers: { ...plain.headers, accept: "text/html" } };
    const zero = { amount: { currency: "USD", value: 0 }, requestKey: "used" };
    // Each call is wrong in one more way than the next one: the first check that fails answers.
    const steps: readonly [CallOptions & { method?: string; path?: string }, status: number][] = [
      [{ ...html, path: "/v1/refund", method: "PATCH", token: null }, 404],
      [{ ...html, method: "PATCH", token: null }, 405],
      [{ ...html, token: null }, 401],
      [{ ...html, token: coreOnly }, 403],
      [html, 406],
      [plain, 415],
      [{ text: plain.text }, 413],
      [{ text: "{" }, 400],
      [{ json: refundOrder("pay_unknown", zero) }, 400],
      [{ json: refundOrder("pay_unknown", { requestKey: "used" }) }, 409],
      [{ json: refundOrder("pay_unknown", { requestKey: "free" }) }, 404],
      [{ json: refundOrder(paymentId, { requestKey: "free" }) }, 422],
    ];
    for (const [{ method = "POST", path = "/v1/refunds", ...sent }, status] of steps)
      expect(refusal(await call(method, path, sent)).status).toBe(status);
  });

  it("cut off a body of unknown length at 64 KiB", async () => {
    const answer = await request(`${service.url}/v1/refunds`, {
      method: "POST",
      headers: { authorization: `Bearer ${merchant.token}`, "content-type": "application/json" },
      body: Readable.from(Array.from({ length: 100 }, () => Buffer.alloc(1024, 32))),
    });
    expect(answer.statusCode).toBe(413);
    await answer.body.dump();
  });
});

describe("authentication", () => {
  const challenge = 'Bearer realm="countersign"';

  it("refuses two tokens with 400 invalid_request (RFC 6750, section 3.1)", async () => {
    const inQuery = await call("GET", `${customer}?access_token=${merchant.token}`);
    const twice = await request(service.url + customer, {
      headers: ["authorization", `Bearer ${merchant.token}`, "authorization", "Bearer other"],
    });
    await twice.body.dump();
    expect([inQuery.status, twice.statusCode]).toEqual([400, 400]);
    expect(refusal(inQuery).code).toBe("INVALID_REQUEST");
    for (const { headers } of [inQuery, twice])
      expect(headers["www-authenticate"]).toBe(`${challenge}, error="invalid_request"`);
  });
});

const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

it("T-31 a body that is malformed JSON or no object is refused with 400 and its fault, and stores nothing", async () => {
  // The rules' own tests have every malformed text, and the pacts every call; here each code has some.
  for (const [code, ...texts] of [
    ["JSON_EMPTY", "", " \n\t "],
    ["JSON_SYNTAX", '{"a":1', "{}{}", "{'a':1}", '{"a":NaN}', "{}\u0000", "\u00a0{}"],
    ["JSON_BOM", "\ufeff{}"],
    ["JSON_ENCODING", Buffer.from("\ufeff{}", "utf16le"), Buffer.from("22eda08022", "hex")],
    ["JSON_DUPLICATE_MEMBER", '{"requestKey":"a","requestKey":"a"}', '{"url":1,"\\u0075rl":2}'],
    ["JSON_FORBIDDEN_MEMBER", '{"__proto__":{"paymentId":"p"}}', '{"a":{"constructor":1}}'],
    ["JSON_DEPTH", deep(17), "[".repeat(10_000) + "]".repeat(10_000)],
    ["INVALID_VALUE", "[]", "1", "null", '"text"'],
  ] as const) {
    for (const text of texts) {
      const { status, members } = refusal(await call("POST", "/v1/refunds", { text }));
      expect([text, status, members]).toEqual([text, 400, { "": code }]);
    }
  }
});

it("T-19 the most specific range of Accept decides, and a Content-Type has no parameter but the charset UTF-8", () => {
  const json = "application/json";
  const accepted = [`a/b, ${json};q=0.1`, `application/*;q=0, ${json}`];
  const refused = [`${json};q=0, */*`, `*/*, ${json};q=0.0`, `${json};q=x`, `${json}-patch+json`];
  expect(accepted.filter((field) => !acceptsJson(field))).toEqual([]);
  expect(refused.filter((field) => acceptsJson(field))).toEqual([]);
  for (const end of [", text/plain", "; boundary=x", "; charset=utf-8; charset=x"])
    expect(mediaTypeOf(json + end)).toBeUndefined();
});

describe("B20 a text that a merchant stores", () => {
  it("is refused with 400 when it contains what could end a header", async () => {
    for (const [path, body, member, base = "order 7"] of [
      ["/v1/webhook/subscribe", subscription, "url", subscription.url],
      ["/v1/webhook/subscribe", subscription, "secretKey", subscription.secretKey],
      ["/v1/refunds", refundOrder(paymentId), "requestKey"],
      ["/v1/refunds", refundOrder(paymentId), "softDescriptor"],
      ["/v1/refunds", refundOrder(paymentId), "clientReferenceId"],
      ["/v1/refunds", refundOrder(paymentId), "clientRefefenceId"],
    ] as const) {
      for (const injection of ["\r\nx-injected: 1", "\r", "\n", "\u0000", "\u000b", "\u0085"]) {
        for (const text of [base + injection, injection + base, `${base}${injection}7`]) {
          const answer = await call("POST", path, { json: { ...body, [member]: text } });
          expect([member, text, refusal(answer).status]).toEqual([member, text, 400]);
        }
      }
    }
  });
});
