import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FIXES } from "../src/explain-causes.ts";
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
  /** What the sender signs. */
  readonly signs?: string | Uint8Array;
  readonly with?: Secret;
  readonly at?: number;
  /** What arrives. */
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

const signature = (body: string, secret: Secret = SECRET) =>
  String(
    scheme.sign({ id: event.id, timestamp: NOW_SECONDS, body: Buffer.from(body) }, [secret])[
      "webhook-signature"
    ],
  );
const latin1 = Buffer.from(compact, "latin1");
const hexSecret = Buffer.alloc(32, 0x5a).toString("hex");
const base64Secret = Buffer.alloc(32, 0x5a).toString("base64");

const table: readonly (readonly [what: string, cause: Cause, one: Case])[] = [
  [
    "compact JSON printed from indented JSON",
    "body-reserialized",
    { signs: pretty, body: compact },
  ],
  ["indented JSON printed from compact JSON", "body-reserialized", { body: pretty }],
  ["compact JSON printed from Python's", "body-reserialized", { signs: python, body: compact }],
  ["Python's JSON printed from compact JSON", "body-reserialized", { body: python }],
  ["JSON with other escapes", "body-reserialized", { body: compact.replace("ü", "\\u00fc") }],
  [
    "JSON with escaped slashes",
    "body-reserialized",
    { signs: compact.replace("a/b", "a\\/b"), body: compact },
  ],
  [
    "JSON whose amount lost its cents",
    "body-reserialized",
    { signs: compact.replace(":10}", ":10.00}"), body: compact },
  ],
  [
    "JSON with sorted members",
    "body-reserialized",
    {
      body: JSON.stringify({
        category: event.category,
        data: event.data,
        id: event.id,
        timestamp: event.timestamp,
        type: event.type,
      }),
    },
  ],
  [
    "JSON printed without its final newline",
    "body-reserialized",
    { signs: `${pretty}\n`, body: compact },
  ],
  ["a space after the body", "body-whitespace", { body: `${compact} ` }],
  ["a space inside the JSON", "body-whitespace", { body: compact.replace(",", ", ") }],
  ["a tab before the body", "body-whitespace", { signs: pretty, body: `\t${pretty}` }],
  ["a newline added at the end", "body-newline", { body: `${compact}\n` }],
  ["a newline removed from the end", "body-newline", { signs: `${compact}\n`, body: compact }],
  ["LF changed to CRLF", "body-newline", { signs: pretty, body: pretty.replaceAll("\n", "\r\n") }],
  ["CRLF changed to LF", "body-newline", { signs: pretty.replaceAll("\n", "\r\n"), body: pretty }],
  ["a byte order mark added", "body-bom", { body: `\uFEFF${compact}` }],
  ["a byte order mark removed", "body-bom", { signs: `\uFEFF${compact}`, body: compact }],
  [
    "UTF-8 read as Latin-1 and encoded again",
    "body-charset",
    { body: Buffer.from(compact).toString("latin1") },
  ],
  [
    "UTF-8 read as Windows-1252 and encoded again",
    "body-charset",
    {
      signs: compact.replace("ü", "€"),
      body: new TextDecoder("windows-1252").decode(Buffer.from(compact.replace("ü", "€"))),
    },
  ],
  ["UTF-8 converted to Latin-1", "body-charset", { body: latin1 }],
  ["UTF-8 converted to UTF-16", "body-charset", { body: Buffer.from(compact, "utf16le") }],
  ["Unicode normalised to NFD", "body-charset", { body: compact.normalize("NFD") }],
  ["bytes that became U+FFFD", "body-charset", { signs: latin1, body: latin1.toString("utf8") }],
  [
    "an empty body",
    "body-missing",
    { body: "", headers: { "content-length": String(Buffer.byteLength(compact)) } },
  ],
  ["[object Object]", "body-parsed", { body: "[object Object]" }],
  [
    "a body cut short",
    "body-length",
    {
      body: compact.slice(0, 50),
      headers: { "content-length": String(Buffer.byteLength(compact)) },
    },
  ],
  ["a secret with two newlines", "secret-newline", { secrets: [`${SECRET}\n\n`] }],
  [
    "a sender's secret with a newline",
    "secret-newline",
    { with: { raw: Buffer.from(`${TEXT_SECRET}\n`) }, secrets: [TEXT_SECRET] },
  ],
  ["a secret in double quotes", "secret-quotes", { secrets: [`"${SECRET}"`] }],
  ["a secret in single quotes with a newline", "secret-quotes", { secrets: [`'${SECRET}'\n`] }],
  [
    "a sender's secret in quotes",
    "secret-quotes",
    { with: { raw: Buffer.from(`"${TEXT_SECRET}"`) }, secrets: [TEXT_SECRET] },
  ],
  ["a secret with a space", "secret-whitespace", { secrets: [` ${SECRET}`] }],
  ["a secret with a byte order mark", "secret-whitespace", { secrets: [`\uFEFF${SECRET}`] }],
  ["whsec_ that the sender uses as text", "secret-encoding", { with: { raw: SECRET } }],
  [
    "whsec_ whose rest the sender uses as text",
    "secret-encoding",
    { with: { raw: SECRET.slice(6) } },
  ],
  [
    "base64 text that the sender decodes",
    "secret-encoding",
    { with: `whsec_${base64Secret}`, secrets: [base64Secret] },
  ],
  [
    "hexadecimal text that the sender decodes",
    "secret-encoding",
    { with: { raw: Buffer.from(hexSecret, "hex") }, secrets: [hexSecret] },
  ],
  [
    "base64url text that the sender decodes",
    "secret-encoding",
    {
      with: { raw: Buffer.alloc(32, 0xfb) },
      secrets: [Buffer.alloc(32, 0xfb).toString("base64url")],
    },
  ],
  [
    "the private key in the receiver",
    "secret-private",
    { with: PRIVATE_KEY, secrets: [PRIVATE_KEY] },
  ],
  [
    "another endpoint's known secret",
    "secret-other",
    { with: OTHER_SECRET, options: { otherSecrets: { "staging's endpoint": OTHER_SECRET } } },
  ],
  ["another endpoint's unknown secret", "secret-other", { with: OTHER_SECRET }],
  ["only a secret that cannot be read", "secret-unusable", { secrets: ["whsec_!"] }],
  ["an ed25519 signature for shared secrets", "signature-version", { with: PRIVATE_KEY }],
  ["a shared secret's signature for public keys", "signature-version", { secrets: [PUBLIC_KEY] }],
  [
    "a timestamp in milliseconds",
    "timestamp-milliseconds",
    { headers: { "webhook-timestamp": `${NOW_SECONDS}000` } },
  ],
  [
    "a timestamp as a date",
    "timestamp-invalid",
    { headers: { "webhook-timestamp": "2021-02-25T15:02:10Z" } },
  ],
  ["a timestamp that is too old", "timestamp-too-old", { at: NOW_SECONDS - 4000 }],
  ["a timestamp that is ahead", "timestamp-ahead", { at: NOW_SECONDS + 301 }],
  ["an id replaced by a proxy", "id-changed", { headers: { "webhook-id": "req_77" } }],
  [
    "an id that survives in another header",
    "id-changed",
    { signs: "{}", headers: { "webhook-id": "req_77", "x-original-id": event.id } },
  ],
  [
    "an id in another case",
    "id-changed",
    { signs: "{}", headers: { "webhook-id": event.id.toUpperCase(), "x-id": event.id } },
  ],
  ["an id that is not valid", "id-changed", { headers: { "webhook-id": "a.b" } }],
  ["a missing header", "header-missing", { headers: { "webhook-id": undefined } }],
  [
    "a renamed header",
    "header-missing",
    { headers: { "webhook-id": undefined, webhook_id: event.id } },
  ],
  [
    "a header joined with another",
    "header-joined",
    { headers: { "webhook-signature": `${signature(compact)}, v1,abc` } },
  ],
  [
    "a header that arrived twice",
    "header-joined",
    { headers: { "webhook-timestamp": ["1", "2"] } },
  ],
  [
    "a signature in hexadecimal",
    "signature-encoding",
    {
      headers: {
        "webhook-signature": `v1,${Buffer.from(signature(compact).slice(3), "base64").toString("hex")}`,
      },
    },
  ],
  [
    "a signature in base64url",
    "signature-encoding",
    {
      headers: {
        "webhook-signature": `v1,${Buffer.from(signature(compact).slice(3), "base64").toString("base64url")}`,
      },
    },
  ],
  [
    "a signature of another scheme",
    "signature-form",
    { headers: { "webhook-signature": "t=1,sig=abc" } },
  ],
];

describe("the explanation of a refused attempt", () => {
  it.each(table)("of %s is %s", (_what, cause, one) => {
    const found = explained(one);

    expect(found.map((explanation) => explanation.cause)).toEqual([cause]);
    expect(found[0]?.sentence).toMatch(/^(?:[A-Z]|secrets\[).*\.$/s);
    expect(found[0]?.fix).toMatch(/^[A-Z].*\.$/s);
  });

  it("is tested for every cause", () => {
    expect(new Set(table.map(([, cause]) => cause))).toEqual(new Set(Object.keys(FIXES)));
  });

  it("is certain, except for a signature that nothing explains", () => {
    const uncertain = table.filter(([, , one]) => explained(one)[0]?.certain === false);

    expect(uncertain.map(([what]) => what)).toEqual([
      "bytes that became U+FFFD",
      "another endpoint's unknown secret",
    ]);
  });

  it("is a sentence for a person", () => {
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

  it("works for every scheme, with its own headers and tolerance", () => {
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
      "webhook-signature": fc.oneof(value, fc.constant(signature(compact))),
      "content-length": value,
    });
    const body = fc.oneof(
      fc.uint8Array(),
      fc.json().map((text) => Buffer.from(text)),
    );
    const secret = fc.constantFrom(canary, `"${canary}"`, `whsec_${canary}`, `${canary}\n\n`, "");

    fc.assert(
      fc.property(headers, body, secret, (given, sent, one) => {
        const found = explain({ headers: given, body: sent }, [one], { now });
        expect(found.length).toBeGreaterThan(0);
        expect(JSON.stringify(found)).not.toContain(canary.slice(0, 12));
      }),
    );
  });

  it("is found in bounded time for a compressed body and for a megabyte of JSON", () => {
    const large = JSON.stringify(Array.from({ length: 20_000 }, () => event.data));
    const started = performance.now();

    expect(explained({ with: OTHER_SECRET, signs: gzipSync(compact) })).toHaveLength(1);
    expect(explained({ signs: large, body: `${large}\n` })).toMatchObject([
      { cause: "body-newline" },
    ]);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
