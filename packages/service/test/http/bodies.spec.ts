import { afterAll, describe, expect, it } from "vitest";
import { acceptsJson, mediaTypeOf } from "../../src/http/body.ts";
import { openWatched, subscription } from "../open-service.ts";
import { refusal } from "../validated.ts";

// One service for all: what is refused leaves nothing behind that another case could meet.
const { pay, call } = await openWatched({ atEnd: afterAll });
const refund = {
  paymentId: await pay(),
  amount: { currency: "USD", value: 1 },
  requestKey: "k",
};
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
    ["JSON_DEPTH", deep(17), "[".repeat(10_000)],
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
      ["/v1/refunds", refund, "requestKey"],
      ["/v1/refunds", refund, "softDescriptor"],
      ["/v1/refunds", refund, "clientReferenceId"],
      ["/v1/refunds", refund, "clientRefefenceId"],
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
