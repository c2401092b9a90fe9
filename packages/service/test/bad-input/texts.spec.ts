import { afterAll, describe, expect, it } from "vitest";
import type { CallOptions } from "../open-service.ts";
import { newPayment } from "../payments.ts";
import { refusal } from "../validated.ts";
import { watchRefusals } from "../watch-refusals.ts";

const openService = watchRefusals();
// One service for all: what is refused leaves nothing behind that another case could meet.
const { service, merchant, call } = await openService({ atEnd: afterAll });
const { clientId, clientSecret } = merchant;

const subscriptionDetails = { type: "ALL" };
/** Each call with a body, and a body that it takes. */
const bodies = {
  "POST /v1/refunds": {
    paymentId: await newPayment(service, merchant),
    amount: { currency: "USD", value: 1 },
    requestKey: "k",
  },
  "POST /v1/webhook/subscribe": {
    url: "https://merchant.example/",
    secretKey: "correct-horse-battery-st",
    subscriptionDetails,
  },
  "PUT /v1/webhook/unsubscribe": { subscriptionId: "sub_1", subscriptionDetails },
  "POST /v1/tokens": {
    grant_type: "client_credentials",
    client_id: clientId,
    client_secret: clientSecret,
  },
} as const;
type CallName = keyof typeof bodies;
// The object's own keys are the names.
const names = Object.keys(bodies) as CallName[];

/** What a call is answered with these bytes or headers in the place of its own. */
async function answerTo(
  name: CallName,
  sent: CallOptions,
): Promise<{ status: number; code: string }> {
  const [method = "", path = ""] = name.split(" ");
  const isToken = path === "/v1/tokens";
  const answer = await call(method, path, {
    ...(sent.text === undefined && { json: bodies[name] }),
    ...sent,
    ...(isToken && { token: null }),
  });
  // RFC 6749, section 5.2, has a body of its own.
  if (isToken && answer.status === 400)
    return { status: 400, code: (answer.body as { error: string }).error };
  const { status, code, members } = refusal(answer);
  const [member] = Object.entries(members ?? {});
  return { status, code: member?.[0] === "" ? String(member[1]) : code };
}

const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const texts: readonly (readonly [what: string, text: string | Buffer, code: string])[] = [
  ["nothing", "", "JSON_EMPTY"],
  ["spaces alone", " \n\t ", "JSON_EMPTY"],
  ["an object that is broken off", '{"a":1', "JSON_SYNTAX"],
  ["two objects", "{}{}", "JSON_SYNTAX"],
  ["a comma too many", '{"a":1,}', "JSON_SYNTAX"],
  ["a comment", '{"a":1/* one */}', "JSON_SYNTAX"],
  ["single quotes", "{'a':1}", "JSON_SYNTAX"],
  ["a name without quotes", "{a:1}", "JSON_SYNTAX"],
  ["NaN", '{"a":NaN}', "JSON_SYNTAX"],
  ["Infinity", '{"a":-Infinity}', "JSON_SYNTAX"],
  ["a number with a leading zero", '{"a":01}', "JSON_SYNTAX"],
  ["a line break in a text", '{"a":"\n"}', "JSON_SYNTAX"],
  ["a NUL behind it", "{}\u0000", "JSON_SYNTAX"],
  ["a no-break space around it", "\u00a0{}", "JSON_SYNTAX"],
  ["a byte order mark", "\ufeff{}", "JSON_BOM"],
  ["UTF-16", Buffer.from("\ufeff{}", "utf16le"), "JSON_ENCODING"],
  [
    "bytes that are no UTF-8",
    Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    "JSON_ENCODING",
  ],
  ["an overlong slash", Buffer.from([0x22, 0xc0, 0xaf, 0x22]), "JSON_ENCODING"],
  ["a surrogate in UTF-8", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), "JSON_ENCODING"],
  ["T-31 a member twice", '{"requestKey":"a","requestKey":"a"}', "JSON_DUPLICATE_MEMBER"],
  ["T-31 a member twice, escaped", '{"url":1,"\\u0075rl":2}', "JSON_DUPLICATE_MEMBER"],
  ["T-31 a member twice, deep inside", '{"a":[{"b":1,"b":2}]}', "JSON_DUPLICATE_MEMBER"],
  ["__proto__", '{"__proto__":{"paymentId":"p"}}', "JSON_FORBIDDEN_MEMBER"],
  ["constructor", '{"a":{"constructor":1}}', "JSON_FORBIDDEN_MEMBER"],
  ["17 levels", deep(17), "JSON_DEPTH"],
  ["10,000 levels", "[".repeat(10_000), "JSON_DEPTH"],
];

describe.each(names)("%s", (name) => {
  it.each(texts)("is 400 with %s and stores nothing", async (_, text, code) => {
    const isToken = name === "POST /v1/tokens";
    expect(await answerTo(name, { text })).toEqual({
      status: 400,
      code: isToken ? "invalid_request" : code,
    });
  });

  it("takes 16 levels and 64 KiB for JSON, and judges its members: 400 and never 413", async () => {
    const size = (bytes: number): string => `{"a":"${"x".repeat(bytes - 8)}"}`;
    for (const text of [deep(16), size(65_536)]) {
      expect((await answerTo(name, { text })).status).toBe(400);
    }
    expect((await answerTo(name, { text: size(65_537) })).status).toBe(413);
  });

  it.each([
    ["no Content-Type", { "content-type": "" }],
    ["text/plain", { "content-type": "text/plain" }],
    ["a form with a file", { "content-type": "multipart/form-data; boundary=x" }],
    ["JSON in UTF-16", { "content-type": "application/json; charset=utf-16" }],
    ["two types", { "content-type": "application/json, text/plain" }],
    ["another JSON", { "content-type": "application/merge-patch+json" }],
    ["gzip", { "content-encoding": "gzip" }],
    ["two codings", { "content-encoding": "gzip, identity" }],
  ])("is 415 with %s and stores nothing", async (_, headers) => {
    expect(await answerTo(name, { headers })).toEqual({
      status: 415,
      code: "UNSUPPORTED_MEDIA_TYPE",
    });
  });

  it.each(["text/html", "image/*", "application/json;q=0", "application/xml, text/*"])(
    "is 406 where %s alone is accepted, and stores nothing",
    async (accept) => {
      expect(await answerTo(name, { headers: { accept } })).toEqual({
        status: 406,
        code: "NOT_ACCEPTABLE",
      });
    },
  );

  it("answers other methods with 405 and Allow, and stores nothing", async () => {
    const [own, path = ""] = name.split(" ");
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"]) {
      if (method === own) continue;
      const answer = await call(method, path, { json: bodies[name] });
      expect([method, answer.status, answer.headers["allow"]]).toEqual([method, 405, own]);
    }
  });
});

describe("a subscriptionId that the body and the path or query tell differently", () => {
  it.each(["/v1/webhook/unsubscribe/sub_2", "/v1/webhook/unsubscribe?subscriptionId=sub_2"])(
    "is 400 at %s and stores nothing",
    async (path) => {
      const json = bodies["PUT /v1/webhook/unsubscribe"];
      expect(refusal(await call("PUT", path, { json }))).toMatchObject({
        status: 400,
        members: { "/subscriptionId": "CONTRADICTION" },
      });
    },
  );
});

describe("names of events that are none", () => {
  const wrong = {
    EVENT: ["refund", "REFUND.FAILED", "refund.failed ", "PAYMENT", "payment.*", "*", "toString"],
    CATEGORY: ["payment", "PAYMENT ", "ALL", "refund.failed", "*", "PAYMENT,CUSTOMER"],
  };
  const cases = Object.entries(wrong).flatMap(([type, all]) =>
    all.map((name) => [type, name] as const),
  );

  it.each(cases)("T-20 are 400 in %s: %j, alone and beside a right one", async (type, name) => {
    const right = type === "EVENT" ? "refund.failed" : "PAYMENT";
    for (const details of [[name], [right, name]]) {
      const subscribe = {
        ...bodies["POST /v1/webhook/subscribe"],
        subscriptionDetails: { type, details },
      };
      const unsubscribe = { subscriptionId: "sub_1", subscriptionDetails: { type, details } };
      const answers = [
        await call("POST", "/v1/webhook/subscribe", { json: subscribe }),
        await call("PUT", "/v1/webhook/unsubscribe", { json: unsubscribe }),
      ];
      for (const answer of answers) {
        const { status, members } = refusal(answer);
        const pointer = `/subscriptionDetails/details/${details.length - 1}`;
        expect([status, Object.keys(members ?? {})]).toEqual([400, [pointer]]);
      }
    }
  });
});
