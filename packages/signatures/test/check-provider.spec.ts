import { describe, expect, it } from "vitest";
import { type Provider, schemeOf, type SignatureDocument } from "../src/index.ts";
import { documentOf, documents } from "./provider-files.ts";
import { provider } from "./samples.ts";

const timed = (change: object = {}) => ({
  timestamp: { at: "header:X-Time", unit: "s" as const, toleranceSeconds: 300, ...change },
});
const id = { id: { at: "header:X-Id" } };
const signed = (...parts: NonNullable<SignatureDocument["signed"]>) => ({ signed: parts });
const at = (place: string) => ({ carrier: [{ at: place }] });

type Row = readonly [danger: string, signature: object, rest?: object];

const unsafe: readonly Row[] = [
  ["does not cover the body", signed("timestamp"), timed()],
  ["does not cover the body", signed({ at: "body:/id" })],
  [
    "which the signature does not cover",
    signed({ at: "body:/id" }),
    { authentic: ["body:/other"] },
  ],
  ["splits in two ways", signed({ at: "header:X-Note" }, "body")],
  ["splits in two ways", signed("id", "body"), id],
  ["splits in two ways", signed("id", { text: "-" }, "body"), id],
  ["splits in two ways", signed("body", "id"), id],
  ["splits in two ways", signed("id", "timestamp", "body"), { ...id, ...timed() }],
  ["splits in two ways", signed({ ifPresent: "header:X", parts: [{ text: "x" }] }, "body")],
  ["splits in two ways", signed("url", { form: "sorted", pair: "", join: "" })],
  ['is not "ambiguous"', { ambiguous: "no reason" }],
  ["is weak", { algorithm: "hmac-sha1" }],
  ["is weak", { algorithm: "sha256", signed: ["secret", "body"] }],
  ["anybody can make sha256 without a secret", { algorithm: "sha256", weak: "w" }],
  ["the secret is its key", signed("secret", "body")],
  ['must be the part "timestamp"', {}, timed()],
  ["the timestamp at query:t is not signed", {}, timed({ at: "query:t" })],
  ["carries no pairs", signed("timestamp", "body"), timed({ at: "header:X-Time#t" })],
  ['"toleranceSeconds" must be', signed("timestamp", "body"), timed({ toleranceSeconds: 1e12 })],
  [
    '"toleranceSeconds" must be',
    signed("timestamp", "body"),
    timed({ toleranceSeconds: Number.NaN }),
  ],
  ["both signed and sent", {}, id],
  ["both signed and sent", signed("id", { text: "." }, "body")],
  ["would match everything", { carrier: [{ at: "header:X", prefix: "" }] }],
  ["would match everything", { carrier: [{ at: "header:X", separator: ",", pair: "" }] }],
  ["contains the separator", { carrier: [{ at: "header:X", separator: ",", prefix: "v1," }] }],
  ["match the same signatures", { carrier: [{ at: "header:X" }, { at: "header:X" }] }],
  [
    'must have one "separator"',
    {
      carrier: [
        { at: "header:X", separator: ",", prefix: "a" },
        { at: "header:X", separator: " ", prefix: "b" },
      ],
    },
  ],
  ["cannot carry a signature", at("header:Cookie")],
  ["cannot carry a signature", at("header:content-type")],
  ["cannot carry a signature", at("url")],
  ["is not a place", at("headers:X")],
  ["need each other", at("item:/sign")],
  ...[
    "https://.*",
    "http://.*",
    "http://keys\\.acme\\.example/.*",
    "https://[^/]+/v1/certs/CERT-[A-Z0-9-]{1,100}",
    "https://.*/certs/.*",
    "https://.*paypal.com/.*",
    "https://api.paypal.com/.*",
    "https://[a-z0-9-]+paypal\\.com/.*",
    "https://[a-z0-9-]+\\.com/.*",
    "https://[a-z.]*example\\.com/.*",
    "https://api\\.paypal\\.com.*",
    "https://api\\.paypal\\.com/a|.*",
    "[a-z:/.]+",
    "[0-Z]+",
    "[(?:a-z/.]+",
    "https://[a-z0-9-]+\\.co\\.uk/.*",
    "https?\\x3a.{1,100}",
    ".+",
    undefined,
  ].map((matches): (typeof unsafe)[number] => [
    matches === undefined ? '"matches" at body:/cert is missing' : "accepts other hosts",
    // As a document may have it.
    { algorithm: "rsa-sha256", key: "x509", keyFrom: { at: "body:/cert", matches } as never },
  ]),
  ["needs an algorithm of public keys", { keyFrom: { at: "body:/cert", matches: "[a-f]+" } }],
  ["is not a regular expression", {}, { pin: [{ at: "body:/id", matches: "(" }] }],
  ["needs one of", {}, { require: [{ at: "body:/id" }] }],
  ['"key" of ed25519 must be', { algorithm: "ed25519", key: "text" }],
  ["unknown algorithm", { algorithm: "md5" }],
  ['"encoding" must be hex', { encoding: undefined }],
  ['a JWT has "claims"', { algorithm: "jwt-hs256" }],
  ['"claims" is for JWT only', { claims: {} }],
  ["unknown part", signed("header" as never)],
  ["contains a part twice", signed("body", "body")],
  [
    "the digest at header:X-Digest is not signed",
    { digests: [{ at: "header:X-Digest", of: "body", algorithm: "sha256", encoding: "hex" }] },
  ],
  ['unknown member "tolerance"', {}, { tolerance: 5 }],
  ['unknown member "seperator"', { carrier: [{ at: "header:X", seperator: "," }] }],
  ['"name" must be', {}, { name: "A b" }],
  ['"minBytes" must be', {}, { secret: { where: "x", minBytes: 0 } }],
  ['"name" must be', {}, { name: undefined }],
  ['"timestamp" must be an object', {}, { timestamp: "header:X-Time" }],
  ["unknown part null", signed(null as never, "body")],
  ['"carrier" must have objects', { carrier: [null] }],
];

describe("a provider document", () => {
  it.each([
    "https://(?:keys\\.)?eu\\.[a-z0-9-]{1,9}\\.acme\\.com(\\.cn)?/.*",
    "https://[a-z]+\\.acme\\.com\\.cn/.*",
    "https://acme\\.co\\.uk/.*",
    "(?:[A-Za-z0-9_-]{1,64}|\\d{3}\\.pem)",
  ])("is accepted if its keys have names that match %s", (matches) => {
    const keyFrom = { at: "body:/cert", matches };
    expect(() =>
      schemeOf(provider({ algorithm: "rsa-sha256", key: "x509", keyFrom })),
    ).not.toThrow();
  });

  it.each(unsafe)("is rejected: %s (%j)", (danger, signature, rest) => {
    // As plain JavaScript or a document may have it.
    const document = provider(signature as Partial<SignatureDocument>, rest as Partial<Provider>);
    const name = JSON.stringify(document.name);
    expect(() => schemeOf(document)).toThrow(TypeError);
    expect(() => schemeOf(document)).toThrow(`invalid provider ${name}: `);
    expect(() => schemeOf(document)).toThrow(danger);
  });

  it("is accepted if a pin or the form of a part ends it", () => {
    const note = { at: "header:X-Note" };
    const pin = [{ at: note.at, matches: "[a-z]{1,8}" }];
    expect(schemeOf(provider(signed(note, { text: ";" }, "body"), { pin })).warnings).toHaveLength(
      1,
    );
    expect(() => schemeOf(provider(signed(note, { text: "z" }, "body"), { pin }))).toThrow(
      "splits",
    );
    expect(schemeOf(provider(signed("url", "body"))).needsUrl).toBe(true);
  });

  it("demands ten digits of a time in seconds that nothing separates from the body", () => {
    const sent = { "x-signature": "0".repeat(64), "x-time": "179000000" };
    const codeOf = (...parts: NonNullable<SignatureDocument["signed"]>) =>
      schemeOf(provider(signed(...parts), timed())).checkHeaders(sent);
    expect(codeOf("timestamp", "body")).toMatchObject({ code: "CS_SIGNATURE_TIMESTAMP_INVALID" });
    expect(codeOf("timestamp", { text: "." }, "body")).toMatchObject({ ok: true });
  });

  it("warns that no time is signed, and repeats why it is weak and ambiguous", () => {
    const parts = signed({ at: "header:X-Note" }, "body");
    const { warnings, replayProtection } = schemeOf(
      provider({ algorithm: "hmac-sha1", weak: "old", ambiguous: "notes", ...parts }),
    );
    expect(replayProtection).toBe(false);
    expect(warnings).toEqual([
      "Sample: old",
      "Sample: notes",
      expect.stringMatching(/^Sample: no time is signed/) as string,
    ]);
    expect(schemeOf(documentOf("stripe"))).toMatchObject({ replayProtection: true, warnings: [] });
  });

  it("is copied: a change of the document changes nothing", () => {
    const document = structuredClone(documentOf("stripe")) as { title: string };
    // The variable names only the member that is changed below.
    const scheme = schemeOf(document as unknown as Provider);
    document.title = "Other";
    expect(scheme.title).toBe("Stripe");
  });

  it.each(documents.map((one) => [one.name, one] as const))(
    "of %s is accepted",
    (name, document) => {
      expect(schemeOf(document).name).toBe(name);
    },
  );
});

describe("what a signature covers", () => {
  it("leaves out what is signed in lower case: with capitals it would be another id", () => {
    const { covers } = schemeOf(documentOf("mercadopago"));
    expect(["query:data.id", "header:x-request-id"].map(covers)).toEqual([false, true]);
  });

  it("is computed from the signed parts, the digests and the claims", () => {
    const { covers } = schemeOf(documentOf("github"));
    expect(["body:", "body:/id", "item:/id", "form:payload"].map(covers)).toEqual(
      Array(4).fill(true),
    );
    expect(["header:X-GitHub-Event", "query:a", "url", "jwt:sub"].map(covers)).toEqual(
      Array(4).fill(false),
    );

    const members = schemeOf(provider(signed({ at: "body:/id" }), { authentic: ["body:/id"] }));
    expect(["body:/id", "body:/type", "body:"].map(members.covers)).toEqual([true, false, false]);

    const digest = { at: "query:sha", of: "body", algorithm: "sha256", encoding: "hex" } as const;
    const url = schemeOf(provider({ ...signed("url"), digests: [digest] }));
    expect(["url", "query:other", "body:/id"].map(url.covers)).toEqual([true, true, true]);

    const form = { form: "sorted", pair: "=", join: "&", without: ["sign"] } as const;
    const fields = schemeOf(provider({ ...signed(form), ambiguous: "a" }));
    expect(["form:a", "form:sign", "body:"].map(fields.covers)).toEqual([true, false, false]);
  });
});
