import { generateKeyPairSync } from "node:crypto";
import type { Provider, SignatureDocument } from "../src/index.ts";
import { documents } from "./provider-files.ts";

/** A document with secrets of both sides, and the kind of message that it signs. */
export interface Sample {
  readonly document: Provider;
  readonly sign: string;
  readonly verify: string;
  /** JSON unless it is a form or has items. */
  readonly body?: "form" | "items";
  readonly claims?: Readonly<Record<string, string>>;
}

const TEXT = "It's a secret of 26 bytes.";
const rsa = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});
const ec = generateKeyPairSync("ec", {
  namedCurve: "prime256v1",
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});
const ed25519 = generateKeyPairSync("ed25519", {
  publicKeyEncoding: { type: "spki", format: "der" },
  privateKeyEncoding: { type: "pkcs8", format: "der" },
});

/** A shared secret in each form, with which a vendor's prefix may be. */
const SECRETS_BY_FORM: Readonly<Record<string, string>> = {
  text: "0123456789abcdefghijklmn",
  "text-nfkd": "0123456789abcdefghijklmn",
  hex: "0123456789abcdef".repeat(3),
  base64: "QUJDREVGR0hJSktMTU5PUFFSU1RVVldY",
  whsec: "QUJDREVGR0hJSktMTU5PUFFSU1RVVldY",
};

const hmac = { algorithm: "hmac-sha256", encoding: "hex" } as const;
const carrier = [{ at: "header:X-Signature" }];
const time = { at: "header:X-Time", unit: "s", toleranceSeconds: 300 } as const;
const shared = { sign: TEXT, verify: TEXT };

/** A document of the members that a test is about. */
export const provider = (
  signature: Partial<SignatureDocument>,
  rest: Partial<Provider> = {},
): Provider => ({
  name: "sample",
  title: "Sample",
  signature: { ...hmac, carrier, signed: ["body"], ...signature },
  ...rest,
});

// Undefined takes the members of the sample away, which the type does not allow.
const token = { encoding: undefined, signed: undefined } as unknown as Partial<SignatureDocument>;
const withoutMembers = (document: Provider): Provider =>
  JSON.parse(JSON.stringify(document)) as Provider; // members that are undefined are left out

/** A sample of every feature of the grammar. */
const features: readonly Sample[] = [
  { document: provider({}), ...shared },
  { document: provider({ algorithm: "hmac-sha1", weak: "old" }), ...shared },
  { document: provider({ algorithm: "hmac-sha384", encoding: "base64url" }), ...shared },
  {
    document: provider({ key: "text-nfkd" }),
    ...shared,
    sign: "clé secrète №1",
    verify: "clé secrète №1",
  },
  { document: provider({ key: "hex" }), sign: "00FFAA".repeat(8), verify: "00ffaa".repeat(8) },
  { document: provider({ key: "base64" }), sign: "QUJDREVGR0g=", verify: "QUJDREVGR0g=" },
  { document: provider({ algorithm: "sha256", signed: ["secret", "body"], weak: "w" }), ...shared },
  {
    document: provider(
      { algorithm: "sha1", signed: ["body", "timestamp", "secret"], weak: "w" },
      { timestamp: time },
    ),
    ...shared,
  },
  {
    document: provider(
      { algorithm: "ed25519", key: "base64", signed: ["timestamp", "body"] },
      { timestamp: time },
    ),
    sign: ed25519.privateKey.toString("base64"),
    verify: ed25519.publicKey.toString("base64"),
  },
  {
    document: provider({ algorithm: "ecdsa-p256-sha256", key: "spki", encoding: "base64" }),
    sign: ec.privateKey,
    verify: ec.publicKey,
  },
  {
    document: provider({ algorithm: "rsa-sha256", key: "spki", encoding: "base64" }),
    sign: rsa.privateKey,
    verify: rsa.publicKey,
  },
  {
    document: provider(
      {
        carrier: [{ at: "header:X-Signature", separator: ";", pair: "h1" }],
        signed: ["timestamp", { text: ":" }, "body"],
      },
      { timestamp: { ...time, at: "header:X-Signature#ts", unit: "ms" } },
    ),
    ...shared,
  },
  {
    document: provider(
      { signed: ["method", "url", "body", "timestamp"] },
      { timestamp: { ...time, unit: "ms" } },
    ),
    ...shared,
  },
  {
    document: provider(
      { carrier: [{ at: "header:X-One" }, { at: "header:X-Two" }], signed: ["body", "timestamp"] },
      { timestamp: { ...time, unit: "iso" } },
    ),
    ...shared,
  },
  {
    document: provider(
      { signed: ["id", "timestamp", "body"] },
      { id: { at: "header:X-Id" }, timestamp: { ...time, unit: "iso" } },
    ),
    ...shared,
  },
  {
    document: provider({
      signed: ["url"],
      digests: [{ at: "query:sha", of: "body", algorithm: "sha256", encoding: "hex" }],
    }),
    ...shared,
  },
  {
    document: provider(
      { signed: ["id", { crc32: "body" }], join: "|", carrier },
      { id: { at: "header:X-Id" }, authentic: ["header:X-Id"] },
    ),
    ...shared,
  },
  {
    document: provider({
      carrier: [{ at: "form:sign" }],
      signed: [{ form: "sorted", pair: "=", join: "&", without: ["sign"] }],
      ambiguous: "a",
    }),
    ...shared,
    body: "form",
  },
  {
    document: provider(
      {
        per: "item",
        carrier: [{ at: "item:/sign" }],
        signed: [{ at: "item:/a" }, { ifPresent: "item:/b", parts: [{ at: "item:/b" }] }],
        join: ":",
        ambiguous: "a",
      },
      { batch: "body:/items", authentic: ["item:/a", "item:/b"] },
    ),
    ...shared,
    body: "items",
  },
  {
    document: withoutMembers(
      provider(
        {
          ...token,
          algorithm: "jwt-hs256",
          carrier: [{ at: "header:Authorization", prefix: "Bearer " }],
          claims: { iss: "option:issuer", exp: "required", sub: { at: "url" } },
          digests: [{ at: "jwt:sha256", of: "body", algorithm: "sha256", encoding: "base64" }],
        },
        { timestamp: { ...time, at: "jwt:nbf" } },
      ),
    ),
    ...shared,
    claims: { issuer: "key-1" },
  },
  {
    document: withoutMembers(
      provider(
        {
          ...token,
          algorithm: "jwt-es256",
          key: "spki",
          claims: { iat: "required" },
          digests: [{ at: "jwt:body", of: "body", algorithm: "sha256", encoding: "hex" }],
        },
        { timestamp: { ...time, at: "jwt:iat" } },
      ),
    ),
    sign: ec.privateKey,
    verify: ec.publicKey,
  },
];

/** Documents of the repository with shared secrets that can sign any message. */
const known: readonly Sample[] = documents
  .filter(
    ({ signature, timestamp, require: demanded }) =>
      /^(?:hmac|sha)/.test(signature.algorithm) &&
      signature.per === undefined &&
      demanded === undefined &&
      timestamp?.at.startsWith("body:") !== true,
  )
  .map((document) => {
    const secret = `${[document.secret?.prefix ?? ""].flat()[0]}${SECRETS_BY_FORM[document.signature.key ?? "text"]}`;
    const isForm = JSON.stringify(document.signature).includes('"form');
    return { document, sign: secret, verify: secret, ...(isForm && { body: "form" as const }) };
  });

export const samples: readonly Sample[] = [...features, ...known];
