import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatted } from "../src/event/formatted.ts";
import { attemptCurl, attemptTest } from "../src/event/snippets.ts";
import { jsonText } from "../src/resources/money.ts";
import { curlOf, quoted } from "../src/parts/curl-of.ts";
import { durationText } from "../src/parts/duration-text.ts";
import { subjectOf } from "../src/timeline/subject-of.ts";

it("a formatted payload has the payload's value, digits and texts", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(JSON.parse(formatted(text))).toEqual(JSON.parse(text));
    }),
  );
  expect(formatted('{"value":10.50,"big":12345678901234567890}')).toBe(
    '{\n  "value": 10.50,\n  "big": 12345678901234567890\n}',
  );
  expect(formatted('{"a":"{x, \\"y\\": [1]}","b":[],"c":{}}')).toBe(
    '{\n  "a": "{x, \\"y\\": [1]}",\n  "b": [],\n  "c": {}\n}',
  );
});

const range = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => first + at);
/** All controls but NUL, which no word has, and the line end, which quotes have; then what turns text. */
const controls = [
  ...range(1, 31).filter((code) => code !== 10),
  ...range(127, 33),
  ...range(0x202a, 5),
  0x61c,
  0x200e,
  0x200f,
  0x2028,
  0x2066,
  0x2069,
  0xfeff,
].map((code) => `it's ${String.fromCodePoint(code)}[31m\\n%s`);
const event = {
  id: "evt_1",
  type: "x",
  category: "PAYMENT",
  timestamp: "",
  payload: `{"a":"it's"}`,
};

describe("a line for a shell", () => {
  it("C6 contains no character that a terminal obeys when it is pasted", () => {
    for (const text of controls) {
      expect(quoted(text)).toMatch(/^[\x20-\x7E]+$/);
      const test = attemptTest(
        { id: text, payload: text, type: text },
        { scheme: "standard-webhooks" },
      );
      expect(test).toMatch(/^[\n\x20-\x7E]+$/);
    }
  });

  it("quotes any text as one word", () => {
    const hostile = ["$(touch x)", "`x`", "it's", "a\nb", '"', "\\", "'; rm -rf /; '", "é\u202E"];
    const texts = [...hostile, ...controls];
    const script = `printf '%s\\0' ${texts.map(quoted).join(" ")}`;
    const printed = execFileSync("sh", ["-c", script], { encoding: "utf8" });
    expect(printed.split("\0").slice(0, -1)).toEqual(texts);
  });

  it("C7 never contains the token", () => {
    const call = { method: "PUT", path: "/sandbox/clock", body: '{"advance":"P1D"}' } as const;
    expect(curlOf("http://127.0.0.1:4010", call)).toBe(
      `curl -X PUT -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d '{"advance":"P1D"}' 'http://127.0.0.1:4010/sandbox/clock'`,
    );
    expect(curlOf("http://h", { method: "POST", path: "/x" })).toContain("-X POST");
  });

  it("repeats an attempt with its headers and its exact bytes", () => {
    const headers = { "webhook-id": "evt_1" };
    const ended = { durationMs: 0, status: 204, error: null, answer: null };
    const attempt = { number: 1, startedAt: "", ...ended, headers };
    const delivery = {
      deliveryId: "dlv_1",
      eventId: "evt_1",
      subscriptionKey: "sub_1",
      state: "delivered" as const,
      nextAttemptAt: null,
      url: "http://localhost:3000/",
      createdAt: "",
      attempts: [],
    };
    expect(attemptCurl(delivery, attempt, event)).toBe(
      `curl -H 'webhook-id: evt_1' --data-binary '{"a":"it'\\''s"}' 'http://localhost:3000/'`,
    );
    const test = attemptTest(event, { scheme: "standard-webhooks" });
    expect(test).toContain(JSON.stringify(event.payload));
  });
});

it("a duration is shown in its largest unit", () => {
  const texts = [0, 5, 305, 7200, 266_400].map(durationText);
  expect(texts).toEqual(["now", "5 s", "5.1 min", "2 h", "3.1 d"]);
});

it("the subject of an event is the first id of its type's pointers", () => {
  const type = "refund.pending";
  const subjects = ["/data/paymentId", "/data/customerId", "/data/id"];
  const events = [{ type, category: "PAYMENT", kinds: [type], subjects }];
  for (const [payload, id] of [
    ['{"data":{"paymentId":"ref_1","customerId":"cus_1"}}', "ref_1"],
    ['{"data":{"customerId":"cus_1"}}', "cus_1"],
    ['{"data":{"id":"cus_2"}}', "cus_2"],
    ['{"data":{"paymentId":7}}', null],
    ['{"data":{"__proto__":{"paymentId":"x"}}}', null],
    ['{"data":null}', null],
    ["[]", null],
    ["no JSON", null],
  ] as const) {
    expect([payload, subjectOf({ type, payload }, events)]).toEqual([payload, id]);
    expect(subjectOf({ type: "another", payload }, events)).toBeNull();
  }
});

it("the JSON of a call keeps the digits of an amount and drops empty members", () => {
  const text = (amount: string) => jsonText({ paymentId: "pay_1", amount, softDescriptor: "" });
  const expected = '{"paymentId":"pay_1","amount":{"currency":"USD","value":10.50}}';
  expect(text("10.50")).toBe(expected);
  expect(text("1e3")).toBe(expected.replace("10.50", "0"));
});
