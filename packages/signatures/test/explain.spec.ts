import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Cause, explain, type ExplainOptions } from "../src/explain.ts";
import { describedHmac, hmacPresets, type Secret, standardWebhooks } from "../src/index.ts";
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

interface Case {
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

const scheme = standardWebhooks();
const bytes = (body: string | Uint8Array) => (typeof body === "string" ? Buffer.from(body) : body);

function explained(one: Case) {
  const { signs = compact, with: secret = SECRET, at = NOW_SECONDS } = one;
  const body = bytes(signs);
  const headers = scheme.sign({ id: event.id, timestamp: at, body }, [secret]);
  const attempt = { headers: { ...headers, ...one.headers }, body: bytes(one.body ?? body) };
  return explain(attempt, one.secrets ?? [SECRET], { now, ...one.options });
}

const genuine = String(
  scheme.sign({ id: event.id, timestamp: NOW_SECONDS, body: bytes(compact) }, [SECRET])[
    "webhook-signature"
  ],
);
const latin1 = Buffer.from(compact, "latin1");
/** A key whose base64url differs from its base64. */
const key = Buffer.alloc(32, 0xfb);
const sent = (headers: NonNullable<Case["headers"]>, one: Case = {}): Case => ({ ...one, headers });
const signedAs = (signature: string) => sent({ "webhook-signature": signature });
const reprinted = (signs: string, body: string): Case => ({ signs, body });
const respelled = (encoding: "hex" | "base64url") =>
  `v1,${Buffer.from(genuine.slice(3), "base64").toString(encoding)}`;
const crlf = pretty.replaceAll("\n", "\r\n");
const euro = compact.replace("ü", "€");
const length = { "content-length": String(Buffer.byteLength(compact)) };
const rawText = (text: string): Case => ({
  with: { raw: Buffer.from(text) },
  secrets: [TEXT_SECRET],
});
const { data, ...members } = event;

/** The accidents that each cause explains. */
const accidents: Readonly<Record<Cause, readonly Case[]>> = {
  "body-reserialized": [
    reprinted(pretty, compact),
    reprinted(compact, pretty),
    reprinted(python, compact),
    reprinted(compact, python),
    reprinted(compact, compact.replace("ü", "\\u00fc")),
    reprinted(compact.replace("a/b", "a\\/b"), compact),
    reprinted(compact.replace(":10}", ":10.00}"), compact),
    reprinted(compact, JSON.stringify({ data, ...members })),
    reprinted(`${pretty}\n`, compact),
  ],
  "body-whitespace": [
    reprinted(compact, `${compact} `),
    reprinted(compact, compact.replace(",", ", ")),
    reprinted(pretty, `\t${pretty}`),
  ],
  "body-newline": [
    reprinted(compact, `${compact}\n`),
    reprinted(`${compact}\n`, compact),
    reprinted(pretty, crlf),
    reprinted(crlf, pretty),
  ],
  "body-bom": [reprinted(compact, `\uFEFF${compact}`), reprinted(`\uFEFF${compact}`, compact)],
  "body-charset": [
    { body: Buffer.from(compact).toString("latin1") },
    { signs: euro, body: new TextDecoder("windows-1252").decode(Buffer.from(euro)) },
    { body: latin1 },
    { body: Buffer.from(compact, "utf16le") },
    { body: compact.normalize("NFD") },
    { signs: latin1, body: latin1.toString("utf8") },
  ],
  "body-missing": [sent(length, { body: "" })],
  "body-parsed": [{ body: "[object Object]" }],
  "body-length": [sent(length, { body: compact.slice(0, 50) })],
  "secret-newline": [{ secrets: [`${SECRET}\n\n`] }, rawText(`${TEXT_SECRET}\n`)],
  "secret-quotes": [
    { secrets: [`"${SECRET}"`] },
    { secrets: [`'${SECRET}'\n`] },
    rawText(`"${TEXT_SECRET}"`),
  ],
  "secret-whitespace": [{ secrets: [` ${SECRET}`] }, { secrets: [`\uFEFF${SECRET}`] }],
  "secret-encoding": [
    { with: { raw: SECRET } },
    { with: { raw: SECRET.slice(6) } },
    { with: { raw: key }, secrets: [key.toString("base64")] },
    { with: { raw: key }, secrets: [key.toString("hex")] },
    { with: { raw: key }, secrets: [key.toString("base64url")] },
  ],
  "secret-private": [{ with: PRIVATE_KEY, secrets: [PRIVATE_KEY] }],
  "secret-other": [
    { with: OTHER_SECRET, options: { otherSecrets: { "staging's endpoint": OTHER_SECRET } } },
    { with: OTHER_SECRET },
  ],
  "secret-unusable": [{ secrets: ["whsec_!"] }],
  "signature-version": [{ with: PRIVATE_KEY }, { secrets: [PUBLIC_KEY] }],
  "timestamp-milliseconds": [sent({ "webhook-timestamp": `${NOW_SECONDS}000` })],
  "timestamp-invalid": [sent({ "webhook-timestamp": "2021-02-25T15:02:10Z" })],
  "timestamp-too-old": [{ at: NOW_SECONDS - 4000 }],
  "timestamp-ahead": [{ at: NOW_SECONDS + 301 }],
  "id-changed": [
    sent({ "webhook-id": "req_77" }),
    sent({ "webhook-id": "req_77", "x-original-id": event.id }, { signs: "{}" }),
    sent({ "webhook-id": event.id.toUpperCase(), "x-id": event.id }, { signs: "{}" }),
    sent({ "webhook-id": "a.b" }),
  ],
  "header-missing": [
    sent({ "webhook-id": undefined }),
    sent({ "webhook-id": undefined, webhook_id: event.id }),
  ],
  "header-joined": [signedAs(`${genuine}, v1,abc`), sent({ "webhook-timestamp": ["1", "2"] })],
  "signature-encoding": [signedAs(respelled("hex")), signedAs(respelled("base64url"))],
  "signature-form": [signedAs("t=1,sig=abc")],
};

describe("the explanation of a refused attempt", () => {
  it.each(Object.entries(accidents))("names %s for its accidents, with a fix", (cause, cases) => {
    for (const one of cases) {
      const found = explained(one);

      expect(found).toMatchObject([{ cause }]);
      expect(found[0]?.sentence).toMatch(/^(?:[A-Z]|secrets\[).*\.$/s);
      expect(found[0]?.fix).toMatch(/^[A-Z].*\.$/s);
    }
  });

  it("is certain, except for a damaged body and an unknown secret", () => {
    const all = Object.values(accidents).flat();
    const uncertain = all.filter((one) => explained(one)[0]?.certain === false);

    expect(uncertain).toEqual([accidents["body-charset"].at(-1), { with: OTHER_SECRET }]);
  });

  it("is a sentence that names the difference", () => {
    const say = (one: Case) => explained(one)[0]?.sentence;

    expect(say({ body: pretty })).toBe(
      `Your secret is right, but something re-serialised the JSON: the sender signed ${bytes(compact).length} bytes, ${bytes(pretty).length} arrived, and its whitespace was changed.`,
    );
    expect(say({ at: NOW_SECONDS - 4000 })).toBe(
      "The timestamp is 4000 s old, and the tolerance is 300 s.",
    );
    expect(say({ headers: { "webhook-id": undefined, webhook_id: "a" } })).toBe(
      "The header webhook-id is missing, but webhook_id is present.",
    );
    expect(say({ signs: "{}", headers: { "webhook-id": "a.b" } })).toBe(
      "The id in webhook-id is not a valid id.",
    );
    expect(say({ secrets: [OTHER_SECRET, `"${SECRET}"`] })).toBe("secrets[1] is in quotes.");
    expect(say({ headers: { "webhook-id": "req_77" } })).toBe(
      "Your secret is right, but the id was changed: the sender signed evt_5QH3k, and webhook-id is req_77.",
    );
  });

  it("names another endpoint only if the sender signs with its secret as configured", () => {
    const options = { otherSecrets: { staging: OTHER_SECRET } };

    expect(explained({ with: OTHER_SECRET, options })).toMatchObject([{ certain: true }]);
    expect(explained({ with: { raw: OTHER_SECRET }, options })).toMatchObject([{ certain: false }]);
  });

  it("names two causes if only both together explain the signature", () => {
    const causesOf = (one: Case) => explained(one).map(({ cause }) => cause);

    expect(causesOf({ body: pretty, secrets: [`"${SECRET}"`] })).toEqual([
      "secret-quotes",
      "body-reserialized",
    ]);
    expect(causesOf({ body: `${compact}\n`, at: NOW_SECONDS - 4000 })).toEqual([
      "body-newline",
      "timestamp-too-old",
    ]);
  });

  it("is empty if the attempt verifies", () => {
    expect(explained({})).toEqual([]);
    expect(explained({ secrets: [OTHER_SECRET, "whsec_!", SECRET] })).toEqual([]);
    expect(explained({ with: PRIVATE_KEY, secrets: [PUBLIC_KEY] })).toEqual([]);
  });

  it("names the cause in every scheme, with its own headers and tolerance", () => {
    for (const preset of Object.values(hmacPresets)) {
      const stated = { scheme: "hmac", description: preset } as const;
      const own = describedHmac(preset);
      const message = { id: event.id, timestamp: NOW_SECONDS, body: Buffer.from(pretty) };
      const headers = own.sign(message, [TEXT_SECRET]);
      const causesOf = (body: string, secret: Secret, clock = now) =>
        explain({ headers, body: Buffer.from(body) }, [secret], { scheme: stated, now: clock }).map(
          ({ cause }) => cause,
        );

      expect(causesOf(pretty, TEXT_SECRET)).toEqual([]);
      expect(causesOf(compact, TEXT_SECRET)).toEqual(["body-reserialized"]);
      expect(causesOf(pretty, `"${TEXT_SECRET}"`)).toEqual(["secret-quotes"]);
      expect(causesOf(pretty, OTHER_SECRET)).toEqual(["secret-other"]);
      if (own.replayProtection) {
        expect(causesOf(pretty, TEXT_SECRET, now + 400_000)).toEqual(["timestamp-too-old"]);
      }
    }
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
        const found = explain({ headers: given, body: arrived }, [one], { now });
        expect(found.length).toBeGreaterThan(0);
        expect(JSON.stringify(found)).not.toContain(canary.slice(0, 12));
      }),
    );
  });

  it("takes bounded time for a compressed body and for a megabyte of JSON", () => {
    const large = JSON.stringify(Array.from({ length: 20_000 }, () => event.data));
    const started = performance.now();

    expect(explained({ with: OTHER_SECRET, signs: gzipSync(compact) })).toHaveLength(1);
    expect(explained({ signs: large, body: `${large}\n` })).toMatchObject([
      { cause: "body-newline" },
    ]);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
