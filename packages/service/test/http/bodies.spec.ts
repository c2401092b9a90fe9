import { afterAll, describe, expect, it } from "vitest";
import { acceptsJson, mediaTypeOf } from "../../src/http/body.ts";
import { openWatched, subscription, type CallOptions } from "../open-service.ts";
import { refusal } from "../validated.ts";

// One service for all: what is refused leaves nothing behind that another case could meet.
const { pay, merchant, call } = await openWatched({ atEnd: afterAll });
const { clientId: client_id, clientSecret: client_secret } = merchant;

const refund = {
  paymentId: await pay(),
  amount: { currency: "USD", value: 1 },
  requestKey: "k",
};
const all = { subscriptionId: "sub_1", subscriptionDetails: { type: "ALL" } };
/** Each call with a body, and a body that it accepts. */
const calls = [
  ["POST", "/v1/refunds", refund],
  ["POST", "/v1/webhook/subscribe", subscription],
  ["PUT", "/v1/webhook/unsubscribe", all],
  ["POST", "/v1/tokens", { grant_type: "client_credentials", client_id, client_secret }],
] as const;
type Call = (typeof calls)[number];

/** The status and code that a call is answered with, and its first member's code for the whole body. */
async function answerTo([method, path, body]: Call, sent: CallOptions): Promise<string> {
  const isToken = path === "/v1/tokens";
  const own = sent.text === undefined ? { json: body } : {};
  const answer = await call(method, path, { ...own, ...sent, ...(isToken && { token: null }) });
  // Token errors have their own body: RFC 6749, section 5.2.
  if (isToken && answer.status === 400) return `400 ${(answer.body as { error: string }).error}`;
  const { status, code, members } = refusal(answer);
  const [[pointer, member] = []] = Object.entries(members ?? {});
  return `${status} ${pointer === "" ? String(member) : code}`;
}

const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

describe("a call with a body", () => {
  it("T-31 is refused with 400 when it is malformed JSON or no object, and stores nothing", async () => {
    // The rules' own tests have every malformed text; here each code has some.
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
      for (const one of calls) {
        const expected = `400 ${one[1] === "/v1/tokens" ? "invalid_request" : code}`;
        for (const text of texts)
          expect([text, await answerTo(one, { text })]).toEqual([text, expected]);
      }
    }
  });
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

it("T-20 names of events or categories that do not exist are refused with 400 and their place, also among right ones", async () => {
  for (const [type, right, code, ...wrong] of [
    ["EVENT", "refund.failed", "UNKNOWN_EVENT", "refund", "REFUND.FAILED", "payment.*", "toString"],
    ["CATEGORY", "PAYMENT", "INVALID_SUBSCRIPTION_DETAILS", "payment", "ALL", "*", "refund.failed"],
  ] as const) {
    for (const details of wrong.flatMap((name) => [[name], [right, name]])) {
      for (const [method, path, body] of calls.slice(1, 3)) {
        const json = { ...body, subscriptionDetails: { type, details } };
        const members = { [`/subscriptionDetails/details/${details.length - 1}`]: code };
        const answer = refusal(await call(method, path, { json }));
        expect([details, answer]).toEqual([details, { status: 400, code, members }]);
      }
    }
  }
});
