import { afterAll, describe, expect, it } from "vitest";
import { subscription, type CallOptions } from "../open-service.ts";
import { newPayment } from "../payments.ts";
import { refusal } from "../validated.ts";
import { watchRefusals } from "../watch-refusals.ts";

const openService = watchRefusals();
// One service for all: what is refused leaves nothing behind that another case could meet.
const { service, merchant, call } = await openService({ atEnd: afterAll });
const { clientId: client_id, clientSecret: client_secret } = merchant;

const refund = {
  paymentId: await newPayment(service, merchant),
  amount: { currency: "USD", value: 1 },
  requestKey: "k",
};
/** Each call with a body, and a body that it accepts. */
const calls: readonly (readonly [method: string, path: string, body: object])[] = [
  ["POST", "/v1/refunds", refund],
  ["POST", "/v1/webhook/subscribe", subscription],
  [
    "PUT",
    "/v1/webhook/unsubscribe",
    { subscriptionId: "sub_1", subscriptionDetails: { type: "ALL" } },
  ],
  ["POST", "/v1/tokens", { grant_type: "client_credentials", client_id, client_secret }],
];

const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const size = (bytes: number): string => `{"a":"${"x".repeat(bytes - 8)}"}`;
const bytes = (hex: string): Buffer => Buffer.from(hex, "hex");
const texts: Readonly<Record<string, readonly (string | Buffer)[]>> = {
  JSON_EMPTY: ["", " \n\t "],
  JSON_SYNTAX: [
    '{"a":1',
    "{}{}",
    '{"a":1,}',
    '{"a":1/* one */}',
    "{'a':1}",
    "{a:1}",
    '{"a":NaN}',
    '{"a":-Infinity}',
    '{"a":01}',
    '{"a":.5}',
    '{"a":5.}',
    '{"a":+1}',
    '{"a":1_0}',
    '{"a":"\n"}',
    "{}\u0000",
    "\u00a0{}",
  ],
  JSON_BOM: ["\ufeff{}"],
  // UTF-16, bytes that are not UTF-8, an overlong slash, a surrogate.
  JSON_ENCODING: [
    Buffer.from("\ufeff{}", "utf16le"),
    bytes("7b22ff223a317d"),
    bytes("22c0af22"),
    bytes("22eda08022"),
  ],
  JSON_DUPLICATE_MEMBER: [
    '{"requestKey":"a","requestKey":"a"}',
    '{"url":1,"\\u0075rl":2}',
    '{"a":[{"b":1,"b":2}]}',
  ],
  JSON_FORBIDDEN_MEMBER: ['{"__proto__":{"paymentId":"p"}}', '{"a":{"constructor":1}}'],
  JSON_DEPTH: [deep(17), "[".repeat(10_000)],
};

describe.each(calls)("%s %s", (method, path, body) => {
  const isToken = path === "/v1/tokens";

  /** The status and code that a call is answered with, and its first member's code for the whole body. */
  async function answerTo(sent: CallOptions): Promise<string> {
    const own = sent.text === undefined ? { json: body } : {};
    const answer = await call(method, path, { ...own, ...sent, ...(isToken && { token: null }) });
    // Token errors have their own body: RFC 6749, section 5.2.
    if (isToken && answer.status === 400) return `400 ${(answer.body as { error: string }).error}`;
    const { status, code, members } = refusal(answer);
    const [[pointer, member] = []] = Object.entries(members ?? {});
    return `${status} ${pointer === "" ? String(member) : code}`;
  }

  it("T-31 refuses malformed JSON, duplicate and forbidden members with 400, and stores nothing", async () => {
    for (const [code, all] of Object.entries(texts)) {
      for (const text of all) {
        const expected = `400 ${isToken ? "invalid_request" : code}`;
        expect([text, await answerTo({ text })]).toEqual([text, expected]);
      }
    }
  });

  it("accepts 16 levels and 64 KiB as JSON, and answers one byte more with 413", async () => {
    for (const text of [deep(16), size(65_536)]) expect(await answerTo({ text })).toMatch(/^400/);
    expect(await answerTo({ text: size(65_537) })).toBe("413 PAYLOAD_TOO_LARGE");
  });

  it("T-19 refuses other media types and encodings with 415, and other accepted types with 406", async () => {
    for (const headers of [
      "",
      "text/plain",
      "text/json",
      "multipart/form-data; boundary=x",
      "application/json; charset=utf-16",
      "application/json, text/plain",
      "application/json; boundary=x",
      "application/json; charset=utf-8; charset=latin1",
      "application/merge-patch+json",
    ].map((type) => ({ "content-type": type })))
      expect([headers, await answerTo({ headers })]).toEqual([
        headers,
        "415 UNSUPPORTED_MEDIA_TYPE",
      ]);
    for (const coding of ["gzip", "br", "identity, gzip", "x"]) {
      const headers = { "content-encoding": coding };
      expect([coding, await answerTo({ headers })]).toEqual([coding, "415 UNSUPPORTED_MEDIA_TYPE"]);
    }
    for (const accept of [
      "text/html",
      "image/*",
      "application/json;q=0",
      "application/xml, text/*",
      "json",
      "application/json;q=0, */*",
      "*/*, application/json;q=0.0",
      "application/json;q=x",
      "application/problem+json",
    ])
      expect([accept, await answerTo({ headers: { accept } })]).toEqual([
        accept,
        "406 NOT_ACCEPTABLE",
      ]);
  });

  it("T-19 accepts JSON in each spelling of its media type, and each Accept that includes it", async () => {
    for (const headers of [
      ...["application/json; charset=utf-8", " Application/JSON ;Charset=UTF-8;"].map((type) => ({
        "content-type": type,
      })),
      ...[
        "*/*",
        "application/*",
        "Application/JSON; charset=utf-8",
        "a/b, application/json;q=0.1",
      ].map((accept) => ({ accept })),
      { accept: "application/*;q=0, application/json" },
    ])
      expect([headers, await answerTo({ text: "{}", headers })]).toMatchObject([
        headers,
        expect.stringMatching(/^400/),
      ]);
  });
});

describe("B20 a text that a merchant stores", () => {
  it("is refused with 400 when it contains what could end a header", async () => {
    for (const [path, member, body] of [
      ["/v1/webhook/subscribe", "url", subscription],
      ["/v1/webhook/subscribe", "secretKey", subscription],
      ["/v1/refunds", "requestKey", refund],
      ["/v1/refunds", "softDescriptor", refund],
      ["/v1/refunds", "clientReferenceId", refund],
      ["/v1/refunds", "clientRefefenceId", refund],
    ] as const) {
      const base = path.endsWith("subscribe") ? String(Reflect.get(body, member)) : "order 7";
      for (const injection of ["\r\nx-injected: 1", "\r", "\n", "\u0000", "\u000b", "\u0085"]) {
        for (const text of [base + injection, injection + base, `${base}${injection}7`]) {
          const answer = await call("POST", path, { json: { ...body, [member]: text } });
          expect([member, text, refusal(answer).status]).toEqual([member, text, 400]);
        }
      }
    }
  });

  it("is in no header of an answer, whatever it is", async () => {
    const requestKey = "Set-Cookie: session=1";
    const json = { ...refund, requestKey, clientReferenceId: "x-injected" };
    const answers = [
      await call("POST", "/v1/refunds", { json }),
      await call("POST", "/v1/refunds", { json }),
      await call("GET", "/v1/customers/x-injected%0D%0Ax-injected:%201"),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 409, 404]);
    for (const { headers } of answers)
      expect(JSON.stringify(headers)).not.toMatch(/inject|session/i);
  });
});

it("T-20 names of events or categories that do not exist are refused with 400 and their place, also among right ones", async () => {
  const wrong = {
    EVENT: ["refund", "REFUND.FAILED", "refund.failed ", "PAYMENT", "payment.*", "*", "toString"],
    CATEGORY: ["payment", "PAYMENT ", "ALL", "refund.failed", "*", "PAYMENT,CUSTOMER"],
  };
  for (const [type, names] of Object.entries(wrong)) {
    const right = type === "EVENT" ? "refund.failed" : "PAYMENT";
    for (const details of names.flatMap((name) => [[name], [right, name]])) {
      const subscriptionDetails = { type, details };
      for (const [method, path, body] of calls.slice(1, 3)) {
        const answer = refusal(
          await call(method, path, { json: { ...body, subscriptionDetails } }),
        );
        const pointer = `/subscriptionDetails/details/${details.length - 1}`;
        const code = type === "EVENT" ? "UNKNOWN_EVENT" : "INVALID_SUBSCRIPTION_DETAILS";
        expect([details, answer]).toEqual([
          details,
          { status: 400, code, members: { [pointer]: code } },
        ]);
      }
    }
  }
});
