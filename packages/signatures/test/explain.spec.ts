import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Cause, explain, type ExplainOptions } from "../src/explain.ts";
import { type Attempt, schemeOf, type Secret } from "../src/index.ts";
import { samples } from "./samples.ts";
import { documentOf } from "./provider-files.ts";
import {
  now,
  NOW_SECONDS,
  OTHER_SECRET,
  PRIVATE_KEY,
  PUBLIC_KEY,
  SECRET,
  TEXT_SECRET,
} from "./attempts.ts";

const event = {
  id: "evt_5QH3k",
  type: "refund.failed",
  category: "PAYMENT",
  timestamp: "2026-02-11T10:00:00Z",
  data: { note: "Zürich", amount: { currency: "USD", value: 10 }, url: "a/b" },
};
const compact = JSON.stringify(event);
const python = compact.replaceAll('":', '": ').replaceAll(',"', ', "');
const pretty = JSON.stringify(event, null, 2);
const nested = { b: 2, fee: 1.5, total: [10, {}], a: [], list: ["<&>", null, true] };

const sentMessage = {
  id: event.id,
  timestamp: NOW_SECONDS,
  method: "POST",
  url: "https://example.com/hooks",
};

interface Case {
  readonly id?: string;
  /** The signed text or body. */
  readonly signs?: string | Uint8Array;
  readonly with?: Secret;
  readonly at?: number;
  /** The received body. */
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>;
  readonly secrets?: readonly Secret[];
  readonly options?: Partial<ExplainOptions>;
}

const document = documentOf("standard-webhooks");
const scheme = schemeOf(document);
/** A sender may use keys that a receiver would not. */
const lenient = schemeOf({ ...document, secret: { where: "", minBytes: 1 } });
const bytes = (body: string | Uint8Array) => (typeof body === "string" ? Buffer.from(body) : body);

function explained(one: Case) {
  const { id = event.id, signs = compact, with: secret = SECRET, at = NOW_SECONDS } = one;
  const body = bytes(signs);
  const { headers } = lenient.sign({ id, timestamp: at, body }, [secret]);
  const attempt = { headers: { ...headers, ...one.headers }, body: bytes(one.body ?? body) };
  return explain(attempt, one.secrets ?? [SECRET], document, { now, ...one.options });
}

const genuine = String(
  scheme.sign({ id: event.id, timestamp: NOW_SECONDS, body: bytes(compact) }, [SECRET]).headers[
    "webhook-signature"
  ],
);
const latin1 = Buffer.from(compact, "latin1");
/** A key whose base64url differs from its base64. */
const key = Buffer.from("fbfbfbfb".repeat(7) + "fbfbfb00", "hex");
const sent = (headers: NonNullable<Case["headers"]>, one: Case = {}): Case => ({ ...one, headers });
const signedAs = (signature: string) => sent({ "webhook-signature": signature });
const reprinted = (signs: string, body: string): Case => ({ signs, body });
const crlf = pretty.replaceAll("\n", "\r\n");
const euro = compact.replace("ü", "€");
const length = { "content-length": String(Buffer.byteLength(compact)) };
const rawText = (text: string): Case => ({
  with: { raw: Buffer.from(text) },
  secrets: [TEXT_SECRET],
});

/** Accidents by their cause, each with words of its explanation, which is certain or only likely. */
type Accidents = readonly (readonly [words: string, accident: Case, certainty?: "likely"])[];
/** Causes of other schemes than Standard Webhooks. */
type Foreign = "url-different" | "token-invalid";
const accidents: Readonly<Record<Exclude<Cause, Foreign>, Accidents>> = {
  "body-reserialized": [
    [
      `signed ${bytes(pretty).length} bytes, ${bytes(compact).length} arrived`,
      reprinted(pretty, compact),
    ],
    ...[
      [compact, pretty],
      [python, compact],
      [compact, python],
      [`${pretty}\n`, compact],
      [JSON.stringify(nested, null, 4), JSON.stringify(nested)],
      [JSON.stringify(nested, null, "\t"), JSON.stringify(nested)],
      [compact, compact.replace(",", ", ")],
      ['{"x":1.50,"y":"\\" , \\n , "}', '{"x": 1.50,"y":"\\" , \\n , "}'],
    ].map(
      ([signs = "", body = ""]) => ["its whitespace was changed", reprinted(signs, body)] as const,
    ),
    ["Your secret is right, but something re-serialised", reprinted("[1]", "[\n  1\n]")],
    ...[
      [compact, compact.replace("ü", "\\u00fc")],
      [compact.replace("a/b", "a\\/b"), compact],
      [compact.replace("a/b", "a\\/b").replace("ü", "\\u00fc"), compact],
      [compact.replace("ü", "\\u00fc"), compact],
      [compact.replace(":10}", ":10.00}"), compact],
      ['{"b":2,"fee":1.50,"total":10.00,"a":[]}', '{"b":2,"fee":1.5,"total":10,"a":[]}'],
      ['{"b":2,"fee":1.5,"total":10.0,"a":[]}', '{"b":2,"fee":1.5,"total":10,"a":[]}'],
      ['["\\u003c\\u0026\\u003e"]', '["<&>"]'],
    ].map(
      ([signs = "", body = ""]) =>
        ["its members were printed differently", reprinted(signs, body)] as const,
    ),
  ],
  "body-newline": [
    [
      "the body was changed on its way: a newline was added at its end",
      reprinted(compact, `${compact}\n`),
    ],
    ["a newline was added at its end", reprinted(pretty, `${pretty}\r\n`)],
    ["the newline at its end was removed", reprinted(`${compact}\n`, compact)],
    ["whitespace was added around it", reprinted(pretty, `\t${pretty}`)],
    ["line breaks were changed from LF to CRLF", reprinted(pretty, crlf)],
    ["line breaks were changed from CRLF to LF", reprinted(crlf, pretty)],
  ],
  "body-charset": [
    ["was added before it", reprinted('"a\uFEFFb"', '\uFEFF"a\uFEFFb"')],
    ["read as Latin-1 and encoded again", { body: Buffer.from(compact).toString("latin1") }],
    ["read as Latin-1", { signs: euro, body: Buffer.from(euro).toString("latin1") }],
    ["to windows-1252", { body: latin1 }],
    ["to windows-1252", { signs: euro, body: Buffer.from(compact.replace("ü", "\x80"), "latin1") }],
    [
      "U+FFFD: its bytes were probably decoded",
      { signs: latin1, body: latin1.toString("utf8") },
      "likely",
    ],
  ],
  "body-missing": [
    ["The body is empty.", sent(length, { body: "" })],
    ["The body is empty.", { body: "" }, "likely"],
    ['The body is "[object Object]"', { body: "[object Object]" }],
  ],
  "body-length": [
    ["(Content-Length), and 50 arrived", sent(length, { body: compact.slice(0, 50) })],
  ],
  "secret-encoding": [
    ["The sender's own secret ends with a newline.", rawText(`${TEXT_SECRET}\n`)],
    ["The sender's own secret is in quotes.", rawText(`"${TEXT_SECRET}"`)],
    [
      "The sender uses the text of secrets[0] as it is, with its prefix.",
      { with: { raw: SECRET } },
    ],
    ["uses the text of secrets[0] after its prefix.", { with: { raw: SECRET.slice(6) } }],
    ["decodes secrets[0] from base64.", { with: { raw: key }, secrets: [key.toString("base64")] }],
    ["decodes secrets[0] from base64.", { secrets: [{ raw: SECRET }] }],
    ["from hexadecimal.", { with: { raw: key }, secrets: [key.toString("hex").toUpperCase()] }],
    ["from base64url.", { with: { raw: key }, secrets: [key.toString("base64url")] }],
  ],
  "secret-other": [
    ["No configured secret made", { with: OTHER_SECRET }, "likely"],
    ["No configured secret made", { with: OTHER_SECRET, secrets: [SECRET, PUBLIC_KEY] }, "likely"],
    ["No configured secret made", reprinted('"ab"', '"a\uFEFFb"'), "likely"],
    [
      "No configured secret made",
      sent({ "content-length": "0" }, { with: OTHER_SECRET, signs: "" }),
      "likely",
    ],
  ],
  "secret-unusable": [
    ["secrets[0] is not canonical base64 after whsec_.", { secrets: ["whsec_!"] }],
    ["secrets[0] contains a space", { secrets: [` ${SECRET}`] }],
    ["secrets[0] contains a line break", { secrets: [`${SECRET}\n\n`] }],
    ["secrets[0] is in quotes", { secrets: [`"${SECRET}"`] }],
    ["secrets[0] is a private key", { with: PRIVATE_KEY, secrets: [PRIVATE_KEY] }],
    ["secrets[1] is not canonical base64", { secrets: [OTHER_SECRET, "whsec_!"] }],
    ["secrets[0] is missing", { secrets: [undefined as never] }],
  ],
  "signature-version": [
    ["no signature of the kind that the configured secrets", { with: PRIVATE_KEY }],
    ["no signature of the kind", { secrets: [PUBLIC_KEY] }],
  ],
  "timestamp-invalid": [
    ["The timestamp in webhook-timestamp", sent({ "webhook-timestamp": `${NOW_SECONDS}000` })],
    ["is not in the unit s", sent({ "webhook-timestamp": "2021-02-25T15:02:10Z" })],
  ],
  "timestamp-too-old": [
    ["The timestamp is 4000 s old, and the tolerance is 300 s.", { at: NOW_SECONDS - 4000 }],
    ["is 301 s old, and", { at: NOW_SECONDS - 301 }],
  ],
  "timestamp-ahead": [
    [
      "The timestamp is 301 s ahead of this clock, and the tolerance is 300 s.",
      { at: NOW_SECONDS + 301 },
    ],
  ],
  "header-missing": [
    ["The header webhook-id is missing.", sent({ "webhook-id": undefined })],
    [
      "is missing, but webhook_id is present.",
      sent({ "webhook-id": undefined, webhook_id: event.id }),
    ],
  ],
  "header-joined": [
    ["The header webhook-signature arrived twice", signedAs(`${genuine}, v1,abc`)],
    ["The header webhook-timestamp arrived twice", sent({ "webhook-timestamp": ["1", "2"] })],
  ],
  "value-missing": [
    ["The value at webhook-id is not what", sent({ "webhook-id": "a.b" }, { signs: "{}" })],
  ],
  "signature-form": [["webhook-signature is not in the form of", signedAs("v1,abc")]],
};

describe("the explanation of a refused attempt", () => {
  it.each(Object.entries(accidents))("names %s for its accidents, with a fix", (cause, rows) => {
    for (const [words, accident, certainty = "certain"] of rows) {
      const found = explained(accident);

      expect(found).toMatchObject([{ cause, sentence: expect.stringContaining(words) as string }]);
      expect(found[0]?.sentence).toMatch(/^(?:[A-Z]|secrets\[).*\.$/s);
      expect(found[0]?.fix).toMatch(/^[A-Z].*\.$/s);
      expect(found[0]?.certain).toBe(certainty === "certain");
    }
  });

  it("names the timestamp's age next to the cause that hides it", () => {
    const body = `${compact}\n`;
    const causesAt = (at: number) => explained({ body, at }).map(({ cause }) => cause);

    expect(causesAt(NOW_SECONDS - 4000)).toEqual(["body-newline", "timestamp-too-old"]);
    for (const within of [-300, 300])
      expect(causesAt(NOW_SECONDS + within)).toEqual(["body-newline"]);
  });

  it("is empty if the attempt verifies", () => {
    expect(explained({})).toEqual([]);
    const headers = new Headers(
      scheme.sign({ id: "a", timestamp: NOW_SECONDS, body: latin1 }, [SECRET]).headers,
    );
    expect(explain({ headers, body: latin1 }, [SECRET], document, { now })).toEqual([]);
    expect(explained({ secrets: [OTHER_SECRET, "whsec_!", SECRET] })).toEqual([]);
    expect(explained({ with: PRIVATE_KEY, secrets: [PUBLIC_KEY] })).toEqual([]);
  });

  it("names the cause for every form of signature, with its own headers and tolerance", () => {
    for (const { document: own, sign, verify, body, claims } of samples) {
      if (body !== undefined) continue;
      const ownScheme = schemeOf(own);
      const message = { ...sentMessage, body: Buffer.from(pretty), claims };
      const attempt = { ...message, ...ownScheme.sign(message, [sign]) };
      const causesOf = (change: Partial<Attempt>, secret = verify, clock = now) =>
        explain({ ...attempt, ...change }, [secret], own, { now: clock, claims }).map(
          ({ cause }) => cause,
        );

      expect(causesOf({})).toEqual([]);
      if (ownScheme.covers("body:"))
        expect(causesOf({ body: Buffer.from(compact) })).toEqual(["body-reserialized"]);
      if (ownScheme.replayProtection)
        expect(causesOf({}, verify, now + 86_400_000)).toEqual(["timestamp-too-old"]);
      if (ownScheme.needsUrl && own.signature.claims === undefined)
        expect(causesOf({ url: attempt.url.replace("https:", "http:") })).toEqual([
          "url-different",
        ]);
    }
  });

  it("names the default port that Twilio signed, and the port that it did not", () => {
    const twilio = documentOf("twilio");
    const secret = "0123456789abcdef0123456789abcdef";
    const message = { body: bytes("MessageSid=SM1&SmsStatus=received"), timestamp: NOW_SECONDS };
    for (const [signed, url] of [
      ["https://shop.example:443/sms?a=1", "https://shop.example/sms?a=1"],
      ["http://shop.example:80", "http://shop.example"],
      ["https://shop.example/sms", "https://shop.example:443/sms"],
    ] as const) {
      const { headers } = schemeOf(twilio).sign({ ...message, url: signed }, [secret]);
      const attempt = { headers, body: message.body, url };
      expect(explain(attempt, [secret], twilio, { now })).toMatchObject([
        { cause: "url-different", certain: true },
      ]);
    }
  });

  it("advises on a secret in the form of the provider's keys", () => {
    const adyen = documentOf("adyen-payments");
    const text = "0123456789abcdef".repeat(4);
    const secret = { raw: Buffer.from(text) };
    const references = { merchantAccountCode: "M", merchantReference: "r", originalReference: "" };
    const item = { ...references, pspReference: "P1", eventCode: "AUTHORISATION", success: "true" };
    const amount = { value: 1, currency: "EUR" };
    const body = JSON.stringify({
      notificationItems: [{ NotificationRequestItem: { ...item, amount, additionalData: {} } }],
    });
    const signed = schemeOf(adyen).sign({ body: bytes(body), timestamp: NOW_SECONDS }, [secret]);
    expect(
      explain({ headers: signed.headers, body: signed.body ?? bytes("") }, [text], adyen, { now }),
    ).toMatchObject([
      {
        sentence: "The sender uses the text of secrets[0] as it is.",
        fix: "The secret of Adyen payments is hexadecimal digits, which are decoded: configure it in this form, or change how your sender reads it.",
      },
    ]);
  });

  it("names a claim, a time in milliseconds and a missing pair of other providers", () => {
    const token = samples.find(
      ({ document: { signature } }) => signature.algorithm === "jwt-hs256",
    );
    const { document: own = document, sign = "", verify = "" } = token ?? {};
    const message = { ...sentMessage, body: Buffer.from("{}"), claims: { issuer: "a" } };
    const attempt = { ...message, ...schemeOf(own).sign(message, [sign]) };
    const options = { now, claims: { issuer: "b" } };
    expect(explain(attempt, [verify], own, options)).toMatchObject([
      { cause: "token-invalid", sentence: "The claim at jwt:iss is not as expected." },
    ]);

    const stripe = documentOf("stripe");
    const signature = `t=${NOW_SECONDS}000,v1=${"0".repeat(64)}`;
    const causesOf = (value: string) =>
      explain(
        { headers: { "stripe-signature": value }, body: bytes("{}") },
        ["whsec_0123456789"],
        stripe,
        { now },
      );
    expect(causesOf(signature)).toMatchObject([{ cause: "timestamp-invalid" }]);
    expect(causesOf("v1=abc")).toMatchObject([{ cause: "signature-form" }]);
  });

  it("never throws and never shows a secret, whatever arrives", () => {
    const canary = "CANARY0123456789abcdefgh";
    const value = fc.oneof(fc.string(), fc.constant(undefined), fc.array(fc.string()));
    const headers = fc.record({
      "webhook-id": value,
      "webhook-timestamp": value,
      "webhook-signature": fc.oneof(value, fc.constant(genuine)),
      "content-length": value,
    });
    const body = fc.oneof(
      fc.uint8Array(),
      fc.json().map((text) => Buffer.from(text)),
    );
    const secret = fc.constantFrom(canary, `"${canary}"`, `whsec_${canary}`, `${canary}\n\n`, "");

    fc.assert(
      fc.property(headers, body, secret, (given, arrived, one) => {
        const found = explain({ headers: given, body: arrived }, [one], document, { now });
        expect(found.length).toBeGreaterThan(0);
        expect(JSON.stringify(found)).not.toContain(canary.slice(0, 12));
      }),
    );
  });

  it("takes bounded time for a compressed body, and for JSON and a text of a megabyte", () => {
    const large = JSON.stringify(Array.from({ length: 5_000 }, () => event.data));
    const before = process.cpuUsage();

    expect(explained({ with: OTHER_SECRET, signs: gzipSync(compact) })).toHaveLength(1);
    expect(explained({ signs: large, body: `${large}\n` })).toMatchObject([
      { cause: "body-newline" },
    ]);
    const text = JSON.stringify("x".repeat(1_000_000));
    expect(explained({ signs: text, body: `${text} ` })).toMatchObject([{ cause: "body-newline" }]);
    // Of the processor, in microseconds: a busy machine takes longer.
    expect(process.cpuUsage(before).user).toBeLessThan(10_000_000);
  });
});
