import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatted } from "../src/event/formatted.ts";
import { attemptCurl, attemptTest } from "../src/event/snippets.ts";
import { jsonText } from "../src/resources/money.ts";
import { curlOf, quoted } from "../src/parts/curl-of.ts";
import { durationText } from "../src/parts/duration-text.ts";
import { subjectOf } from "../src/timeline/subject-of.ts";

describe("a formatted payload", () => {
  it("always says what the payload says", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.parse(formatted(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it("keeps every number digit for digit", () => {
    expect(formatted('{"value":10.50,"big":12345678901234567890}')).toBe(
      '{\n  "value": 10.50,\n  "big": 12345678901234567890\n}',
    );
  });

  it("leaves what stands in texts alone", () => {
    expect(formatted('{"a":"{x, \\"y\\": [1]}","b":[],"c":{}}')).toBe(
      '{\n  "a": "{x, \\"y\\": [1]}",\n  "b": [],\n  "c": {}\n}',
    );
  });
});

const standard = { scheme: "standard-webhooks" };
/** The 65 controls but NUL, which no word holds, and the line end, which quotes hold; then what turns text. */
const obeyed = [
  ...Array.from({ length: 31 }, (_, index) => index + 1).filter((code) => code !== 10),
  ...Array.from({ length: 33 }, (_, index) => 127 + index),
  0x61c,
  0x200e,
  0x200f,
  0x202a,
  0x202b,
  0x202c,
  0x202d,
  0x202e,
  0x2028,
  0x2066,
  0x2069,
  0xfeff,
].map((code) => `it's ${String.fromCodePoint(code)}[31m\\n%s`);

describe("a line for a shell", () => {
  it("C6 holds nothing that a terminal obeys when it is pasted", () => {
    for (const text of obeyed) {
      expect(quoted(text)).toMatch(/^[\x20-\x7E]+$/);
      expect(attemptTest({ id: text, payload: text, type: text }, standard)).toMatch(
        /^[\n\x20-\x7E]+$/,
      );
    }
  });

  it("always has a text as one word, whatever is in it", () => {
    const texts = [
      "$(touch x)",
      "`x`",
      "it's",
      "a\nb",
      '"',
      "\\",
      "'; rm -rf /; '",
      "é\u202E",
      ...obeyed,
    ];
    const printed = execFileSync("sh", ["-c", `printf '%s\\0' ${texts.map(quoted).join(" ")}`], {
      encoding: "utf8",
    });
    expect(printed.split("\0").slice(0, -1)).toEqual(texts);
  });

  it("C7 never holds the token", () => {
    expect(
      curlOf("http://127.0.0.1:4010", {
        method: "PUT",
        path: "/sandbox/clock",
        body: '{"advance":"P1D"}',
      }),
    ).toBe(
      `curl -X PUT -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d '{"advance":"P1D"}' 'http://127.0.0.1:4010/sandbox/clock'`,
    );
    expect(curlOf("http://h", { method: "POST", path: "/x" })).toContain("-X POST");
  });

  it("makes an attempt again with its headers and its very bytes", () => {
    const event = {
      id: "evt_1",
      type: "x",
      category: "PAYMENT",
      timestamp: "",
      payload: '{"a":"it\'s"}',
    };
    const attempt = {
      number: 1,
      startedAt: "",
      durationMs: 0,
      status: 204,
      error: null,
      answer: null,
      headers: { "webhook-id": "evt_1" },
    };
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
    expect(attemptTest(event, standard)).toContain(JSON.stringify(event.payload));
  });
});

describe("small texts", () => {
  it.each([
    [0, "now"],
    [5, "5 s"],
    [305, "5.1 min"],
    [7200, "2 h"],
    [266_400, "3.1 d"],
  ])("%d seconds are %j", (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });

  it.each([
    ['{"data":{"paymentId":"ref_1","customerId":"cus_1"}}', "ref_1"],
    ['{"data":{"customerId":"cus_1"}}', "cus_1"],
    ['{"data":{"id":"cus_2"}}', "cus_2"],
    ['{"data":{"paymentId":7}}', null],
    ['{"data":{"__proto__":{"paymentId":"x"}}}', null],
    ['{"data":null}', null],
    ["[]", null],
    ["no JSON", null],
  ])("%j is about %j", (payload, id) => {
    const type = "refund.pending";
    const subjects = ["/data/paymentId", "/data/customerId", "/data/id"];
    const events = [{ type, category: "PAYMENT", kinds: [type], subjects }];
    expect(subjectOf({ type, payload }, events)).toBe(id);
    expect(subjectOf({ type: "another", payload }, events)).toBeNull();
  });
});

describe("the JSON of a call that names an amount", () => {
  it.each([
    ["10.50", '{"paymentId":"pay_1","amount":{"currency":"USD","value":10.50}}'],
    ["1e3", '{"paymentId":"pay_1","amount":{"currency":"USD","value":0}}'],
  ])("has the digits of %j as they stand, and no empty member", (amount, text) => {
    expect(jsonText({ paymentId: "pay_1", amount, softDescriptor: "" })).toBe(text);
  });
});
